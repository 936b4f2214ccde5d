import { CircleCheck } from 'lucide-react'
import classes from './form-error.module.css'

/** Says that what a form asked for is done, where its error would stand. */
export function FormDone({ message }: { message: string | undefined }) {
  return (
    <div role="status">
      {message && (
        <p className={classes.done}>
          <CircleCheck size={18} strokeWidth={1.75} aria-hidden="true" />
          <span>{message}</span>
        </p>
      )}
    </div>
  )
}
