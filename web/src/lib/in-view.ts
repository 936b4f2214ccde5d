import { type RefObject, useEffect, useState } from 'react'

const MAX_IDLE_WAIT_MS = 2_000
/** Scrolled to within this, an element is as good as seen. */
const NEAR = '200px'

/** True once the element is in sight, or nearly, and the browser has nothing better to do. For what is heavy to load. */
export function useInView(element: RefObject<Element | null>): boolean {
  const [isInView, setInView] = useState(false)
  useEffect(() => {
    if (!element.current || isInView) return
    let idle: number | undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        observer.disconnect()
        idle = whenIdle(() => setInView(true))
      },
      { rootMargin: NEAR },
    )
    observer.observe(element.current)
    return () => {
      observer.disconnect()
      if (idle !== undefined) cancelIdle(idle)
    }
  }, [element, isInView])
  return isInView
}

// Safari has no idle callbacks.
const hasIdle = 'requestIdleCallback' in globalThis
const whenIdle = (then: () => void): number =>
  hasIdle
    ? requestIdleCallback(then, { timeout: MAX_IDLE_WAIT_MS })
    : window.setTimeout(then, MAX_IDLE_WAIT_MS / 10)
const cancelIdle = (id: number) => (hasIdle ? cancelIdleCallback(id) : clearTimeout(id))
