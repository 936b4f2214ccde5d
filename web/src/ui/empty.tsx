import { Text } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './empty.module.css'

/** Nothing here yet: one sentence, one action. */
export function Empty({
  icon: Icon,
  text,
  action,
}: {
  icon: LucideIcon
  text: string
  action?: ReactNode
}) {
  return (
    <div className={classes.empty}>
      <span className={classes.icon} aria-hidden="true">
        <Icon size={24} strokeWidth={1.5} />
      </span>
      <Text c="dimmed">{text}</Text>
      {action}
    </div>
  )
}
