import type { AnyRouter } from '@tanstack/react-router'
import { MOST_PENDING_PRELOADS } from '@/lib/constants'

/** Skips preloads on hover while five are on their way. */
export function limitPreloads(router: AnyRouter): void {
  const preload = router.preloadRoute
  let pending = 0
  router.preloadRoute = (async (options: Parameters<typeof preload>[0]) => {
    if (pending >= MOST_PENDING_PRELOADS) return undefined
    pending += 1
    return preload(options).finally(() => {
      pending -= 1
    })
  }) as typeof preload
}
