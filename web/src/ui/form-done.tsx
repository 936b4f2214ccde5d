import { CircleCheck } from 'lucide-react'
import { useEffect, useRef } from 'react'
import classes from './form-error.module.css'

/**
 * Says that what a form asked for is done, where its error would stand. One that takes the form's place takes its focus
 * too: a status that comes with its text is not read out.
 */
export function FormDone(props: { message: string | undefined; isInPlace?: boolean }) {
  const { message, isInPlace = false } = props
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (isInPlace) text.current?.focus()
  }, [isInPlace])
  return (
    <div role="status">
      {message && (
        <p ref={text} className={classes.done} {...(isInPlace && { tabIndex: -1 })}>
          <CircleCheck size={18} strokeWidth={1.75} aria-hidden="true" />
          <span>{message}</span>
        </p>
      )}
    </div>
  )
}
