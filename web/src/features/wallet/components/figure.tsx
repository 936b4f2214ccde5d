import type { ReactNode } from 'react'
import classes from './balance.module.css'

/** A sum with its name above it and, where it needs one, a word about it below. */
export function Figure(props: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <p className={classes.name}>{props.name}</p>
      <p className={classes.value}>{props.children}</p>
      {props.note && <p className={classes.note}>{props.note}</p>}
    </div>
  )
}
