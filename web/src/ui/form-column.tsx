import type { ReactNode } from 'react'
import classes from './form-column.module.css'

/** The width of every form of a page: one column of fields is not wider than one reads. What explains it is next to it. */
export function FormColumn({ children, beside }: { children: ReactNode; beside?: ReactNode }) {
  return (
    <div className={classes.columns}>
      <div data-form-column>{children}</div>
      {beside}
    </div>
  )
}
