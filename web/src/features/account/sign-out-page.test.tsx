import { waitFor } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import { session } from '@/lib/session/current-session'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const signOut = '*/api/v2/auth/sign-out'

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

  it('ends it here also when the server can not', async () => {
    server.use(http.post(signOut, () => failure(500, { message: 'broken', code: 'internal' })))
    const { router } = await openSignedIn('/auth/sign-out')
    await waitFor(() => expect(router.state.location.href).toBe('/auth/sign-in'))
    expect(session.state.status).toBe('unauthenticated')
  })
})
