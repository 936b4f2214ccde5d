import { type RefObject, useLayoutEffect, useState } from 'react'

/** Whether the child of an element is wider than the element, in any window. */
export function useOverflow(box: RefObject<HTMLElement | null>): boolean {
  const [isWider, setWider] = useState(false)
  useLayoutEffect(() => {
    const { current } = box
    const child = current?.firstElementChild
    if (!current || !(child instanceof HTMLElement)) return
    const measure = () => setWider(child.offsetWidth > current.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    observer.observe(child)
    return () => observer.disconnect()
  }, [box])
  return isWider
}
