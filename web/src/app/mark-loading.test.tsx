import { waitFor } from '@testing-library/react'
import { http } from 'msw'
import { expect, it, vi } from 'vitest'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'
import { session } from '@/lib/session/current-session'

const isMarked = () => document.documentElement.hasAttribute('data-loading')

/** Opens a page that loads until `answer` is called. */
async function openSlowly(response: () => ReturnType<typeof success>) {
  server.use(stillLoading)
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  server.use(
    http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', async () => {
      await answered
      return response()
    }),
  )
  const { router } = await openApp('/about')
  await waitFor(() => expect(isMarked()).toBe(false))
  session.signIn({ access_token: accessToken({}, -60), refresh_token: refreshToken() })
  const opened = router.navigate({ href: '/user/no-such-page' })
  return { router, opened, answer }
}

it('the document is marked as long as the next page loads', async () => {
  const { opened, answer } = await openSlowly(() =>
    success({ access_token: accessToken(), refresh_token: null }),
  )
  await waitFor(() => expect(isMarked()).toBe(true))
  answer()
  await opened
  await waitFor(() => expect(isMarked()).toBe(false))
})

it('a page that leads elsewhere ends the mark, too', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { router, opened, answer } = await openSlowly(() =>
    failure(401, { message: 'revoked', code: 'unauthorized' }),
  )
  await waitFor(() => expect(isMarked()).toBe(true))
  answer()
  await opened
  await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))
  await waitFor(() => expect(isMarked()).toBe(false))
})
