import { waitFor } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { session } from '@/lib/session/current-session'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const signOut = '*/api/v2/auth/sign-out'

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})

describe('signing out', () => {
  it('ends the session here and at the server, and shows the sign-in page', async () => {
    let bearer: string | null = null
    server.use(
      http.post(signOut, ({ request }) => {
        bearer = request.headers.get('Authorization')
        return success({})
      }),
    )
    const { router } = await openSignedIn('/auth/sign-out')
    await waitFor(() => expect(router.state.location.href).toBe('/auth/sign-in'))
    expect(bearer).toMatch(/^Bearer /)
    expect(session.state.status).toBe('unauthenticated')
    expect(localStorage.getItem('refresh_token')).toBeNull()
  })

  it('removes what the account has begun to write in this browser, and nothing of others', async () => {
    const theirs = [
      'ticket-draft:7:new',
      'ticket-draft:7:12',
      'console-reply:7:12',
      'console-text:7:n',
    ]
    const others = [
      'ticket-draft:70:new',
      'console-reply:8:7',
      'color-scheme',
      'console-try:7:/admin',
    ]
    for (const storage of [localStorage, sessionStorage])
      for (const name of [...theirs, 'console-draft:7:plan', ...others]) storage.setItem(name, '{}')
    server.use(http.post(signOut, () => success({})))
    const { router } = await openSignedIn('/auth/sign-out')
    await waitFor(() => expect(router.state.location.href).toBe('/auth/sign-in'))
    for (const storage of [localStorage, sessionStorage])
      expect(Object.keys(storage).toSorted()).toEqual(others.toSorted())
  })

  it('keeps it where the session merely ends', async () => {
    localStorage.setItem('ticket-draft:7:new', '{}')
    await openSignedIn('/user/my-account')
    session.signOut()
    expect(localStorage.getItem('ticket-draft:7:new')).toBe('{}')
  })

  it('ends it here also when the server can not', async () => {
    server.use(http.post(signOut, () => failure(500, { message: 'broken', code: 'internal' })))
    const { router } = await openSignedIn('/auth/sign-out')
    await waitFor(() => expect(router.state.location.href).toBe('/auth/sign-in'))
    expect(session.state.status).toBe('unauthenticated')
  })
})
