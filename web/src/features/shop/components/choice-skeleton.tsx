import { Skeleton } from '@mantine/core'
import classes from '../buy-page.module.css'

export function ChoiceSkeleton({ cards = 3 }: { cards?: number }) {
  return (
    <div>
      <Skeleton height={42} maw={420} mb={24} />
      <div className={classes.layout}>
        <div className={classes.cards}>
          {Array.from({ length: cards }, (_, index) => (
            <Skeleton key={index} height={316} radius="lg" />
          ))}
        </div>
        <Skeleton height={300} radius="lg" />
      </div>
    </div>
  )
}
