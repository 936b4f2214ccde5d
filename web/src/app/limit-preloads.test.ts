import type { AnyRouter } from '@tanstack/react-router'
import { expect, it, vi } from 'vitest'
import { limitPreloads } from './limit-preloads'

it('lets five preloads wait at a time, and more when one is done', async () => {
  const done: (() => void)[] = []
  const preloadRoute = vi.fn(() => new Promise<void>((resolve) => done.push(resolve)))
  const router = { preloadRoute } as unknown as AnyRouter
  limitPreloads(router)
  const calls = Array.from({ length: 7 }, () => router.preloadRoute({ to: '/' }))
  expect(preloadRoute).toHaveBeenCalledTimes(5)
  done[0]?.()
  await calls[0]
  void router.preloadRoute({ to: '/' })
  expect(preloadRoute).toHaveBeenCalledTimes(6)
})
