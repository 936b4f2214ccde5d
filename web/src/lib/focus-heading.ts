import { useEffect } from 'react'

/**
 * For what takes the place of a part that had the focus: the page's heading gets it, so that the keyboard and screen
 * readers go on from there. Where the focus is elsewhere it stays.
 */
export function useFocusFromGone(): void {
  useEffect(() => {
    const { activeElement: focused } = document
    if (focused && focused !== document.body) return
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [])
}
