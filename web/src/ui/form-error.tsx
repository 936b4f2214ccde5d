import { CircleAlert } from 'lucide-react'
import classes from './form-error.module.css'

/** What is wrong with a form as a whole, beside its button. */
export function FormError({ message }: { message: string | undefined }) {
  if (!message) return null
  return (
    <p role="alert" className={classes.error}>
      <CircleAlert size={18} strokeWidth={1.75} aria-hidden="true" />
      <span>{message}</span>
    </p>
  )
}
