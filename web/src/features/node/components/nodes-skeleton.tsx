import { Card, Skeleton } from '@mantine/core'
import { useIsNarrow } from '../use-filter'
import filters from './node-filters.module.css'
import classes from './nodes-skeleton.module.css'

const CONTROL_PX = 42
const ROWS = 24 // more than any window shows, so that nothing below is in sight and moves

/** What the filters and the list take up, while they are loaded. */
export function NodesSkeleton() {
  const isNarrow = useIsNarrow()
  return (
    <>
      <div className={filters.toolbar}>
        <div className={filters.filters}>
          <Skeleton className={filters.search} height={CONTROL_PX} />
          {isNarrow ? (
            <Skeleton width={112} height={CONTROL_PX} className={filters.button} />
          ) : (
            <>
              <Skeleton height={CONTROL_PX} className={filters.select} />
              <Skeleton height={CONTROL_PX} className={filters.select} />
              <Skeleton width={120} height={32} radius="xl" className={filters.button} />
              <Skeleton width={120} height={32} radius="xl" className={filters.button} />
            </>
          )}
        </div>
        <div className={filters.found}>
          <Skeleton width={72} height={16} />
        </div>
      </div>
      <Card padding={0}>
        {Array.from({ length: ROWS }, (_, index) => (
          <div key={index} className={classes.row}>
            <Skeleton height={20} />
          </div>
        ))}
      </Card>
    </>
  )
}
