import { render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { lazyPart, LostChunkError } from '@/lib/lazy-part'
import { lazyPage, reloadOnce } from './lazy'

const reload = vi.fn<() => void>()
beforeEach(() => {
  reload.mockReset()
  vi.stubGlobal('location', { reload })
})

describe('the reload for a lost chunk', () => {
  it('happens once per path within 10 s', () => {
    vi.useFakeTimers()
    expect(reloadOnce('/user/wallet')).toBe(true)
    vi.advanceTimersByTime(9_999)
    expect(reloadOnce('/user/wallet')).toBe(false)
    expect(reload).toHaveBeenCalledTimes(1)
    expect(reloadOnce('/user/nodes')).toBe(true)
    vi.advanceTimersByTime(10_000)
    expect(reloadOnce('/user/nodes')).toBe(true)
    expect(reload).toHaveBeenCalledTimes(3)
  })
})

describe('a lazy page', () => {
  it('reloads nothing when only its preload fails, and loads at the next try', async () => {
    const load = vi.fn<() => Promise<{ Page: () => string }>>()
    load.mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'))
    load.mockResolvedValue({ Page: () => 'content' })
    const Page = lazyPage(load, 'Page')
    await Page.preload?.()
    expect(reload).not.toHaveBeenCalled()
    await Page.preload?.()
    render(<Page />)
    expect(screen.getByText('content')).toBeVisible()
  })

  it('throws a lost chunk where it is rendered', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const Page = lazyPage(
      () => Promise.reject<{ Page: () => string }>(new TypeError('gone')),
      'Page',
    )
    await Page.preload?.()
    expect(() => render(<Page />)).toThrow(LostChunkError)
  })
})

it('a lazy part takes its place when it is there', async () => {
  const Part = lazyPart(
    async () => ({ Part: ({ name }: { name: string }) => <b>{name}</b> }),
    'Part',
  )
  render(
    <Suspense>
      <Part name="menu" />
    </Suspense>,
  )
  expect(await screen.findByText('menu')).toBeVisible()
})
