import type { ReactNode } from 'react'
import classes from './status-dot.module.css'

export type Tone = 'success' | 'warning' | 'error' | 'info' | 'neutral'

/** A state: the dot's colour says it at a glance, the word says it. */
export function StatusDot({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classes.status} data-tone={tone}>
      <span className={classes.dot} aria-hidden="true" />
      {children}
    </span>
  )
}
