import type { ComponentPropsWithRef } from 'react'
import classes from './check-field.module.css'

/** The browser's own checkbox in the accent colour: the sign-in page has to be light. */
export function CheckField({
  label,
  ...input
}: { label: string } & ComponentPropsWithRef<'input'>) {
  return (
    <label className={classes.field}>
      <input type="checkbox" {...input} />
      {label}
    </label>
  )
}
