import { screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/lib/api/errors'
import { LostChunkError } from '@/lib/lazy-part'
import { stillLoading, server } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'

const logged = () => vi.spyOn(console, 'error').mockImplementation(() => undefined)

const browseAs = (userAgent: string) =>
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(userAgent)

/** Opens a page whose loading fails. */
async function openBroken(error: Error) {
  const opened = await openApp('/about')
  opened.router.routesByPath['/settings'].update({
    loader: () => {
      throw error
    },
  } as never)
  await opened.router.navigate({ to: '/settings' })
  return opened
}

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

beforeEach(() => server.use(stillLoading))

describe('an address without a page', () => {
  it('is titled Page Not Found', async () => {
    await openApp('/no/such/page')
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
    await waitFor(() => expect(document.title).toBe('Page Not Found · Network Accelerator'))
  })

  it('says so in Chinese', async () => {
    await openApp('/no/such/page', 'zh-CN')
    expect(await screen.findByText('404 · 找不到页面')).toBeVisible()
    await waitFor(() => expect(document.title).toBe('找不到页面 · 网络加速器'))
  })

  it('is that under /user too', async () => {
    await openSignedIn('/user/no/such/page')
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
  })

  it('is logged with its path for a crawler, which gets no error page', async () => {
    const log = logged()
    browseAs(GOOGLEBOT)
    await openApp('/no/such/page')
    await waitFor(() => expect(log).toHaveBeenCalledWith('Page not found: /no/such/page'))
    expect(screen.queryByText(/404/)).toBeNull()
  })
})

describe('a page that breaks', () => {
  it('is titled Internal Server Error', async () => {
    logged()
    await openBroken(new Error('x is undefined'))
    expect(await screen.findByText('500 · Internal Server Error')).toBeVisible()
    await waitFor(() => expect(document.title).toBe('Internal Server Error · Network Accelerator'))
    expect(screen.queryByText('x is undefined')).toBeNull()
  })

  it('says that the network is gone where its code is not there, and stays', async () => {
    logged()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    await openBroken(new LostChunkError('A part of this page could not be loaded'))
    expect(await screen.findByText(/^The server can’t be reached/)).toBeVisible()
    expect(sessionStorage.getItem('chunk_reload')).toBeNull()
  })

  it('is titled with the message that the error carries for the user', async () => {
    logged()
    await openBroken(
      new ApiError('The shop is being counted', { status: 503, code: 'unavailable' }),
    )
    expect(await screen.findByText('The shop is being counted')).toBeVisible()
    expect(screen.getByRole('heading', { name: 'This could not be loaded' })).toBeVisible()
    expect(screen.queryByText(/500/)).toBeNull()
    await waitFor(() =>
      expect(document.title).toBe('The shop is being counted · Network Accelerator'),
    )
  })

  it.each([GOOGLEBOT, 'facebookexternalhit/1.1', 'Mozilla/5.0 (compatible; YandexBot/3.0)'])(
    'is logged for the crawler %s, which gets no error page',
    async (userAgent) => {
      const log = logged()
      browseAs(userAgent)
      const error = new Error('x is undefined')
      await openBroken(error)
      await waitFor(() => expect(log).toHaveBeenCalledWith(error))
      expect(screen.queryByText(/500/)).toBeNull()
    },
  )
})
