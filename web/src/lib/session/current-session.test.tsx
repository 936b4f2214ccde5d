import { act, render, screen } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, it } from 'vitest'
import { userGetMe } from '@/lib/api/gen/sdk.gen'
import { failure, server, success } from '@/test/msw/server'
import { accessToken, refreshToken } from '@/test/tokens'
import { session, useSession } from './current-session'

function Who() {
  const state = useSession()
  return <p>{state.status === 'authenticated' ? state.user.user_name : 'nobody'}</p>
}

describe('the session of this tab', () => {
  it('is what components show', () => {
    render(<Who />)
    expect(screen.getByText('nobody')).toBeVisible()
    act(() => void session.signIn({ access_token: accessToken(), refresh_token: null }))
    expect(screen.getByText('林晓')).toBeVisible()
    act(() => session.signOut())
    expect(screen.getByText('nobody')).toBeVisible()
  })

  it('gives calls their token and renews it after a 401', async () => {
    const [first, second] = [accessToken(), accessToken({}, 1800)]
    const seen: (string | null)[] = []
    server.use(
      http.get('*/api/v2/user/get_me', ({ request }) => {
        seen.push(request.headers.get('Authorization'))
        return seen.length === 1
          ? failure(401, { message: 'expired', code: 'token_expired' })
          : success({ user_id: 7 })
      }),
      http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', ({ request }) => {
        expect(request.headers.get('Authorization')).toBeNull()
        return success({ access_token: second, refresh_token: null })
      }),
    )
    session.signIn({ access_token: first, refresh_token: refreshToken() })
    expect((await userGetMe()).data).toEqual({ user_id: 7 })
    expect(seen).toEqual([`Bearer ${first}`, `Bearer ${second}`])
    session.signOut()
  })
})
