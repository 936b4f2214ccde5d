import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import classes from './summary.module.css'

/** The button that buys. Where it lies below the window, as on phones, it stands at the window's lower edge too. */
export function PayButton(props: {
  form: string
  /** What is bought. */
  name: string
  isPending: boolean
  isDisabled: boolean
  children: string
}) {
  const place = useRef<HTMLDivElement>(null)
  const [isBelow, setBelow] = useState(false)
  useEffect(() => {
    if (!place.current) return undefined
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry) return
      const edge = entry.rootBounds?.bottom ?? window.innerHeight
      setBelow(!entry.isIntersecting && entry.boundingClientRect.top > edge - 1)
    })
    observer.observe(place.current)
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
      <div ref={place} className={classes.action}>
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
