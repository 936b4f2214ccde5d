import { lazyRouteComponent } from '@tanstack/react-router'
import type { FunctionComponent } from 'react'
import { RELOAD_GUARD_MS } from '@/lib/constants'
import { guarded } from '@/lib/lazy-part'

/** A page in a chunk of its own: `component: lazyPage(() => import('…'), 'WalletPage')`. */
export function lazyPage<N extends string>(
  load: () => Promise<Record<N, FunctionComponent>>,
  name: N,
) {
  return lazyRouteComponent(() => guarded(load), name)
}

const RELOADED = 'chunk_reload'

/** Reloads the page, but not twice within 10 s for the same path. False when it may not. */
export function reloadOnce(path: string): boolean {
  const last = JSON.parse(sessionStorage.getItem(RELOADED) ?? 'null') as {
    path: string
    time: number
  } | null
  if (last?.path === path && Date.now() - last.time < RELOAD_GUARD_MS) return false
  sessionStorage.setItem(RELOADED, JSON.stringify({ path, time: Date.now() }))
  location.reload()
  return true
}
