import { SCROLL_MS } from './constants'

/** Moves the window's view to its top; at once for those who want less motion. */
export function scrollToTop(): void {
  const from = window.scrollY
  const begin = performance.now()
  const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches

  const step = (now: number) => {
    const done = isCalm ? 1 : Math.min(1, (now - begin) / SCROLL_MS)
    window.scrollTo(0, from * (1 - done) ** 2)
    if (done < 1) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}
