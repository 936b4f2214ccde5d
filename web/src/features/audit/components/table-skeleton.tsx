import { Skeleton } from '@mantine/core'
import classes from './table-skeleton.module.css'

const ROWS = 12

/** The rows, or on a phone the cards, that are being loaded. */
export function TableSkeleton({ isCompact }: { isCompact?: boolean }) {
  return (
    <div className={classes.rows} data-compact={isCompact}>
      {Array.from({ length: ROWS }, (_, index) => (
        <Skeleton key={index} className={classes.row} />
      ))}
    </div>
  )
}
