import { Skeleton } from '@mantine/core'
import classes from './table-skeleton.module.css'

const ROWS = 12

/** The rows, or on a phone the cards, that are being loaded. */
export function TableSkeleton() {
  return (
    <div className={classes.rows}>
      {Array.from({ length: ROWS }, (_, index) => (
        <Skeleton key={index} className={classes.row} />
      ))}
    </div>
  )
}
