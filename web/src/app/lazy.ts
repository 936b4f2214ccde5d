import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, type FunctionComponent, lazy } from 'react'
import { RELOAD_GUARD_MS } from '@/shared/constants'

/**
 * A file of this build is gone: a newer build took its place, or the network broke.
 * Thrown where it is rendered, so a preload on hover never reloads anything (see app/error-page.tsx).
 */
export class LostChunkError extends Error {
  override readonly name = 'LostChunkError'
}

/** A page in a chunk of its own: `component: lazyPage(() => import('…'), 'WalletPage')`. */
export function lazyPage<N extends string>(
  load: () => Promise<Record<N, FunctionComponent>>,
  name: N,
) {
  return lazyRouteComponent(() => guarded(load), name)
}

/** A component in a chunk of its own, for use under <Suspense>. */
export function lazyPart<N extends string, P>(
  load: () => Promise<Record<N, ComponentType<P>>>,
  name: N,
) {
  return lazy<ComponentType<P>>(async () => ({ default: (await guarded(load))[name] }))
}

export async function guarded<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load()
  } catch (cause) {
    throw new LostChunkError('A part of this page could not be loaded', { cause })
  }
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
