import type { ReactNode } from 'react'
import classes from './dialog-actions.module.css'

/** The buttons at a dialog's end: in a row, on phones one below the other. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={classes.actions}>{children}</div>
)
