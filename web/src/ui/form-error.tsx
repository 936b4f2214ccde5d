import { CircleAlert } from 'lucide-react'
import classes from './form-error.module.css'

/** On a phone the button may be the last thing in sight. */
const show = (error: HTMLElement | null) => error?.scrollIntoView({ block: 'nearest' })

/** What is wrong with a form as a whole, beside its button. */
export function FormError({ message }: { message: string | undefined }) {
  if (!message) return null
  return (
    <p ref={show} role="alert" className={classes.error}>
      <CircleAlert size={18} strokeWidth={1.75} aria-hidden="true" />
      <span>{message}</span>
    </p>
  )
}
