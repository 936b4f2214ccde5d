import { Skeleton } from '@mantine/core'
import classes from '../ticket.module.css'

const ROWS = 6
const MESSAGES = 3

/** The tickets that are being loaded. */
export function ListSkeleton() {
  return (
    <div className={classes.tickets}>
      {Array.from({ length: ROWS }, (_, index) => (
        <Skeleton key={index} height={84} />
      ))}
    </div>
  )
}

/** The messages that are being loaded. */
export function ConversationSkeleton() {
  return (
    <div className={classes.messages}>
      {Array.from({ length: MESSAGES }, (_, index) => (
        <Skeleton key={index} height={88} width="75%" />
      ))}
    </div>
  )
}
