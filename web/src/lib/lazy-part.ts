import { type ComponentType, lazy } from 'react'

/**
 * A file of this build is gone: a newer build took its place, or the network broke.
 * Thrown where it is rendered, so a preload on hover never reloads anything (see app/error-page.tsx).
 */
export class LostChunkError extends Error {
  override readonly name = 'LostChunkError'
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
    throw new LostChunkError(String(cause), { cause })
  }
}
