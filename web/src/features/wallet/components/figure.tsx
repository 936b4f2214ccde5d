import type { ReactNode } from 'react'
import classes from './balance.module.css'

/** An amount with its name above it and an optional note below. */
export function Figure(props: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <p className={classes.name}>{props.name}</p>
      <p className={classes.value}>{props.children}</p>
      {props.note && <p className={classes.note}>{props.note}</p>}
    </div>
  )
}
