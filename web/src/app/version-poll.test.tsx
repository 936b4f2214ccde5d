import { focusManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { server } from '@/test/msw/server'

// A page knows its build from the start.
document.head.append(
  Object.assign(document.createElement('meta'), { name: 'build', content: 'one' }),
)
const { useNewVersion } = await import('./version-poll')

const Page = () => <p>{useNewVersion() ? 'another build is there' : 'this build is the latest'}</p>

const asked = vi.fn<() => void>()
let latest: string

beforeEach(() => {
  latest = 'one'
  asked.mockReset()
  server.use(
    http.get('*/builds/latest.json', () => {
      asked()
      return HttpResponse.json({ build: latest })
    }),
  )
  vi.spyOn(globalThis, 'fetch')
  vi.useFakeTimers({ shouldAdvanceTime: true })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  )
})

describe('builds/latest.json', () => {
  it('is not asked for by a page that has just come from there', async () => {
    await act(() => vi.advanceTimersByTimeAsync(240_000))
    expect(asked).not.toHaveBeenCalled()
    expect(screen.getByText('this build is the latest')).toBeVisible()
  })

  it('is asked for after five minutes, past all caches', async () => {
    latest = 'two'
    await act(() => vi.advanceTimersByTimeAsync(305_000))
    expect(await screen.findByText('another build is there')).toBeVisible()
    expect(asked).toHaveBeenCalledTimes(1)
    expect(fetch).toHaveBeenCalledWith('/builds/latest.json', { cache: 'no-store' })
  })

  it('is asked for when the window has the focus again', async () => {
    latest = 'two'
    act(() => focusManager.setFocused(false))
    act(() => focusManager.setFocused(true))
    expect(await screen.findByText('another build is there')).toBeVisible()
    expect(asked).toHaveBeenCalledTimes(1)
  })
})
