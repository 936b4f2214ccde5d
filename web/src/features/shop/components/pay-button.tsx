import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import classes from './summary.module.css'

/** The submit button. While it is below the window, as on phones, a bar at the lower edge of the window repeats it. */
export function PayButton(props: {
  form: string
  /** The name of the purchase. */
  name: string
  isPending: boolean
  isDisabled: boolean
  children: string
}) {
  const anchor = useRef<HTMLDivElement>(null)
  const [isBelow, setBelow] = useState(false)
  useEffect(() => {
    if (!anchor.current) return undefined
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry) return
      const edge = entry.rootBounds?.bottom ?? window.innerHeight
      setBelow(!entry.isIntersecting && entry.boundingClientRect.top > edge - 1)
    })
    observer.observe(anchor.current)
    return () => observer.disconnect()
  }, [])
  const button = {
    type: 'submit',
    form: props.form,
    loading: props.isPending,
    disabled: props.isDisabled,
    children: props.children,
  } as const
  return (
    <>
      <div ref={anchor} className={classes.action}>
        <Button {...button} fullWidth className={classes.wrap} />
      </div>
      {isBelow && (
        <div className={classes.bar}>
          <span className={classes.barName}>{props.name}</span>
          <Button {...button} className={classes.wrap} />
        </div>
      )}
    </>
  )
}
