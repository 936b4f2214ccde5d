import { Card, Skeleton } from '@mantine/core'
import filters from './node-filters.module.css'
import classes from './nodes-skeleton.module.css'

const ROWS = 24 // more than any window shows, so that nothing below is in sight and moves

/** What the filters and the list take up, while they are loaded. */
export function NodesSkeleton() {
  return (
    <>
      <div className={filters.filters}>
        <Skeleton className={filters.search} height={42} />
        {[1, 2, 3].map((select) => (
          <Skeleton key={select} className={filters.select} height={42} />
        ))}
        <div className={filters.chips}>
          <Skeleton width={106} height={32} radius="xl" />
          <Skeleton width={106} height={32} radius="xl" />
          <Skeleton width={72} height={20} className={filters.count} />
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
