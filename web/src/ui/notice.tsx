import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './notice.module.css'

/** What is wrong, in words, and the one action that helps. */
export function Notice(props: {
  tone: 'warning' | 'error'
  action?: ReactNode
  children: ReactNode
}) {
  const { tone } = props
  const Icon = tone === 'error' ? CircleAlert : TriangleAlert
  return (
    <div role={tone === 'error' ? 'alert' : 'status'} className={classes.strip} data-tone={tone}>
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <p className={classes.text}>{props.children}</p>
      {props.action}
    </div>
  )
}
