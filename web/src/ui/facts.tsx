import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Facts next to each other, each with its name above it: in columns, or as wide as each is where they flow. */
export function Facts({ flows, children }: { flows?: boolean; children: ReactNode }) {
  return (
    <dl className={classes.facts} data-flows={flows || undefined}>
      {children}
    </dl>
  )
}
