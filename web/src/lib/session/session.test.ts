import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessToken, refreshToken, someone } from '@/test/tokens'
import { Session, type Tokens } from './session'

const requestTokens = vi.fn<(refreshToken: string) => Promise<Tokens>>()
const fresh = (seconds = 900): Tokens => ({
  access_token: accessToken({}, seconds),
  refresh_token: null,
})

function makeSession(stored: { access?: string; refresh?: string } = {}) {
  if (stored.access) sessionStorage.setItem('access_token', stored.access)
  if (stored.refresh) localStorage.setItem('refresh_token', stored.refresh)
  return new Session(requestTokens)
}

function otherTabChanged(key: string | null) {
  window.dispatchEvent(new StorageEvent('storage', { key }))
}

const setOnline = (isOnline: boolean) =>
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)

// What browsers offer on https; its stand-in without locks has tests of its own.
Object.defineProperty(navigator, 'locks', {
  value: { request: (_name: string, work: () => Promise<unknown>) => work() },
})

let warn: ReturnType<typeof vi.spyOn>

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-01T00:00:00Z') })
  requestTokens.mockReset()
  warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

// Listeners of one session must not act in the next test.
const listeners: [EventTarget, string, EventListenerOrEventListenerObject][] = []
for (const target of [window, document]) {
  const add = target.addEventListener.bind(target)
  target.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) => {
    listeners.push([target, type, listener])
    add(type, listener)
  }
}
afterEach(() => {
  for (const [target, type, listener] of listeners.splice(0))
    target.removeEventListener(type, listener)
})

describe('at start', () => {
  it('is unauthenticated without tokens, and asks for none', async () => {
    const session = makeSession()
    await session.start()
    expect(session.state).toEqual({ status: 'unauthenticated' })
    expect(session.accessToken()).toBeUndefined()
    expect(requestTokens).not.toHaveBeenCalled()
  })

  it('takes up a stored access token', async () => {
    const access = accessToken()
    const session = makeSession({ access })
    await session.start()
    expect(session.state).toMatchObject({ status: 'authenticated', user: someone })
    expect(session.accessToken()).toBe(access)
    expect(session.isExpired).toBe(false)
  })

  it('refreshes with the stored refresh token when there is no access token', async () => {
    const refresh = refreshToken()
    requestTokens.mockResolvedValue({ access_token: accessToken(), refresh_token: 'next' })
    const session = makeSession({ refresh })
    await session.start()
    expect(requestTokens).toHaveBeenCalledExactlyOnceWith(refresh)
    expect(session.state.status).toBe('authenticated')
    expect(localStorage.getItem('refresh_token')).toBe('next')
    expect(sessionStorage.getItem('access_token_exp_text')).toBe('2026-01-01T00:15:00.000Z')
  })

  it.each([
    ['is no JWT', 'nonsense'],
    ['has another form', accessToken({ role: 'emperor' })],
    ['has no subject', accessToken({ subject_access: undefined })],
    ['is of another kind', refreshToken()],
  ])('is unauthenticated when the access token %s', async (_, access) => {
    const session = makeSession({ access })
    await session.start()
    expect(session.state.status).toBe('unauthenticated')
  })

  it('warns about an invalid payload', async () => {
    await makeSession({ access: accessToken({ jti: 'not a uuid' }) }).start()
    expect(warn).toHaveBeenCalledWith(
      expect.stringContaining('invalid payload'),
      expect.stringContaining('jti'),
    )
  })

  it.each([
    ['role', { role: 'emperor' }],
    ['token_type', { token_type: 'session' }],
    ['exp', { exp: 'tomorrow' }],
    ['iat', { iat: 'yesterday' }],
    ['subject_access.user_new_id', { subject_access: { ...someone, user_new_id: '7' } }],
    ['subject_access.email', { subject_access: { ...someone, email: 'lin' } }],
    ['subject_refresh.password_hash', { subject_refresh: { user_id: 7, password_hash: 'x' } }],
    [
      'subject_refresh.is_remember_me',
      {
        subject_refresh: { user_id: 7, password_hash: 'a hash', is_remember_me: 'yes' },
      },
    ],
    ['subject_login_code.tg_login_token', { subject_login_code: { tg_login_token: 7 } }],
    ['subject_user_link_tg.user_id', { subject_user_link_tg: { user_id: '7' } }],
  ])('names the part of a payload that is wrong: %s', async (part, change) => {
    await makeSession({ access: accessToken(change) }).start()
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('invalid payload'),
      expect.stringContaining(part),
    )
  })

  it('signs out when the access token has no expiry', async () => {
    const session = makeSession({
      access: accessToken({ exp: undefined }),
      refresh: refreshToken(),
    })
    await session.start()
    expect(session.state.status).toBe('unauthenticated')
    expect(localStorage.getItem('refresh_token')).toBeNull()
    expect(requestTokens).not.toHaveBeenCalled()
  })
})

describe('the timer', () => {
  it('refreshes 10 s before expiry and again with the next token', async () => {
    requestTokens.mockImplementation(async () => fresh())
    await makeSession({ access: accessToken(), refresh: refreshToken() }).start()
    await vi.advanceTimersByTimeAsync(889_999)
    expect(requestTokens).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(requestTokens).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(890_000)
    expect(requestTokens).toHaveBeenCalledTimes(2)
  })

  it('refreshes at once within the margin, then looks again after 1 s', async () => {
    requestTokens.mockImplementation(async () => fresh(8))
    await makeSession({ access: accessToken({}, 5), refresh: refreshToken() }).start()
    await vi.advanceTimersByTimeAsync(0)
    expect(requestTokens).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(999)
    expect(requestTokens).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(requestTokens).toHaveBeenCalledTimes(2)
  })

  it('survives expiries further away than a timer can count', async () => {
    await makeSession({ access: accessToken({}, 60 * 86_400), refresh: refreshToken() }).start()
    await vi.advanceTimersByTimeAsync(30 * 86_400_000)
    expect(requestTokens).not.toHaveBeenCalled()
  })

  it('looks at the clock again when the tab is shown or the network is back', async () => {
    requestTokens.mockImplementation(async () => fresh())
    await makeSession({ access: accessToken(), refresh: refreshToken() }).start()
    vi.setSystemTime(new Date('2026-01-01T01:00:00Z'))
    document.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(0)
    expect(requestTokens).toHaveBeenCalledTimes(1)
    vi.setSystemTime(new Date('2026-01-01T02:00:00Z'))
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    expect(requestTokens).toHaveBeenCalledTimes(2)
  })

  it('looks at the clock while it waits, since timers stand still in sleep', async () => {
    requestTokens.mockImplementation(async () => fresh())
    await makeSession({ access: accessToken(), refresh: refreshToken() }).start()
    await vi.advanceTimersByTimeAsync(30_000)
    // The machine slept for an hour, and no event says so.
    vi.setSystemTime(new Date('2026-01-01T01:00:00Z'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requestTokens).toHaveBeenCalledTimes(1)
  })

  it.each(['2026-01-01T03:00:00Z', '2025-12-31T21:00:00Z'])(
    'keeps its distances on a machine whose clock is wrong, at %s',
    async (clock) => {
      const issued = accessToken()
      vi.setSystemTime(new Date(clock))
      requestTokens.mockResolvedValue({ access_token: issued, refresh_token: null })
      const session = makeSession()
      session.signIn({ access_token: issued, refresh_token: refreshToken() })
      expect(session.isExpired).toBe(false)
      await vi.advanceTimersByTimeAsync(889_999)
      expect(requestTokens).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(requestTokens).toHaveBeenCalledTimes(1)
    },
  )

  it('does nothing for nobody', async () => {
    await makeSession().start()
    document.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requestTokens).not.toHaveBeenCalled()
  })
})

describe('a refresh', () => {
  it('is one for all who ask at the same time', async () => {
    requestTokens.mockResolvedValue(fresh())
    const session = makeSession({ refresh: refreshToken() })
    expect(await Promise.all([session.refresh(), session.refresh()])).toEqual([true, true])
    expect(requestTokens).toHaveBeenCalledTimes(1)
  })

  it('keeps the refresh token when none comes back', async () => {
    const refresh = refreshToken()
    requestTokens.mockResolvedValue(fresh())
    await makeSession({ refresh }).refresh()
    expect(localStorage.getItem('refresh_token')).toBe(refresh)
  })

  it('that is refused signs out and says why in the console', async () => {
    requestTokens.mockRejectedValue(new Error('revoked'))
    const session = makeSession({ access: accessToken(), refresh: refreshToken() })
    await session.start()
    expect(await session.refresh()).toBe(false)
    expect(session.state.status).toBe('unauthenticated')
    expect(sessionStorage).toHaveLength(0)
    expect(localStorage).toHaveLength(0)
    expect(console.error).toHaveBeenCalledWith(expect.any(String), new Error('revoked'))
  })

  it('that brings an unusable token signs out', async () => {
    requestTokens.mockResolvedValue({ access_token: 'nonsense', refresh_token: 'next' })
    const session = makeSession({ refresh: refreshToken() })
    expect(await session.refresh()).toBe(false)
    expect(localStorage.getItem('refresh_token')).toBeNull()
  })

  it('without a refresh token warns and is false', async () => {
    const session = makeSession()
    expect(await session.refresh()).toBe(false)
    expect(warn).toHaveBeenCalledWith('There is no refresh token.')
  })

  it('without a refresh token ends a running session', async () => {
    const session = makeSession({ access: accessToken() })
    await session.start()
    expect(await session.refresh()).toBe(false)
    expect(session.state.status).toBe('unauthenticated')
  })

  it('is not tried offline, and the session stays', async () => {
    setOnline(false)
    const session = makeSession({ access: accessToken({}, -60), refresh: refreshToken() })
    await session.start()
    expect(await session.refresh()).toBe(false)
    expect(requestTokens).not.toHaveBeenCalled()
    expect(session.state.status).toBe('authenticated')
    expect(session.isExpired).toBe(true)
  })

  it('is not tried when refreshing was stopped', async () => {
    sessionStorage.setItem('stop_refresh', 'true')
    const session = makeSession({ access: accessToken({}, 5), refresh: refreshToken() })
    await session.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await session.refresh()).toBe(false)
    expect(requestTokens).not.toHaveBeenCalled()
    expect(session.state.status).toBe('authenticated')
  })

  it('that comes back after the sign-out changes nothing', async () => {
    let answer: (tokens: Tokens) => void = () => undefined
    requestTokens.mockReturnValue(new Promise((resolve) => (answer = resolve)))
    const session = makeSession({ refresh: refreshToken() })
    const refreshed = session.refresh()
    await vi.advanceTimersByTimeAsync(0)
    session.signOut()
    answer(fresh())
    expect(await refreshed).toBe(false)
    expect(session.state.status).toBe('unauthenticated')
  })
})

describe('a refused access token', () => {
  it('is replaced once by a new one', async () => {
    const refused = accessToken()
    const session = makeSession({ access: refused, refresh: refreshToken() })
    await session.start()
    requestTokens.mockResolvedValue(fresh(1800))
    expect(await session.replace(refused)).toBe(true)
    // Another call that had used the old token finds the new one there.
    expect(await session.replace(refused)).toBe(true)
    expect(requestTokens).toHaveBeenCalledTimes(1)
  })

  it('can not be replaced when nobody is signed in', async () => {
    expect(await makeSession().replace('token')).toBe(false)
  })
})

describe('signing in and out', () => {
  it('tells its subscribers, until they leave', () => {
    const session = makeSession()
    const subscriber = vi.fn<() => void>()
    const leave = session.subscribe(subscriber)
    expect(session.signIn({ access_token: accessToken(), refresh_token: refreshToken() })).toBe(
      true,
    )
    expect(subscriber).toHaveBeenCalledTimes(1)
    session.signOut()
    expect(subscriber).toHaveBeenCalledTimes(2)
    leave()
    session.signOut()
    expect(subscriber).toHaveBeenCalledTimes(2)
  })

  it('keeps each token in its storage, and at sign-out nothing', () => {
    const [access, refresh] = [accessToken(), refreshToken()]
    const session = makeSession()
    session.signIn({ access_token: access, refresh_token: refresh })
    expect(Object.fromEntries(Object.entries(sessionStorage))).toEqual({
      access_token: access,
      access_token_exp_text: '2026-01-01T00:15:00.000Z',
    })
    expect(Object.fromEntries(Object.entries(localStorage))).toEqual({ refresh_token: refresh })
    session.signOut()
    expect(sessionStorage).toHaveLength(0)
    expect(localStorage).toHaveLength(0)
  })

  it('stops the timer at sign-out', async () => {
    const session = makeSession({ access: accessToken({}, 60), refresh: refreshToken() })
    await session.start()
    session.signOut()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(requestTokens).not.toHaveBeenCalled()
  })
})

describe('other tabs', () => {
  it('sign this one out with them', async () => {
    const session = makeSession({ access: accessToken(), refresh: refreshToken() })
    await session.start()
    localStorage.removeItem('refresh_token')
    otherTabChanged('refresh_token')
    expect(session.state.status).toBe('unauthenticated')
  })

  it('that clear all storage sign this one out, and a second time changes nothing', async () => {
    const session = makeSession({ access: accessToken(), refresh: refreshToken() })
    await session.start()
    localStorage.clear()
    otherTabChanged(null)
    const subscriber = vi.fn<() => void>()
    session.subscribe(subscriber)
    otherTabChanged(null)
    expect(session.state.status).toBe('unauthenticated')
    expect(subscriber).not.toHaveBeenCalled()
  })

  it('that sign in sign this one in', async () => {
    requestTokens.mockResolvedValue(fresh())
    const session = makeSession()
    await session.start()
    localStorage.setItem('refresh_token', refreshToken())
    otherTabChanged('refresh_token')
    await vi.advanceTimersByTimeAsync(0)
    expect(session.state.status).toBe('authenticated')
  })

  it('that sign in as somebody else take this one along', async () => {
    const session = makeSession({ access: accessToken(), refresh: refreshToken() })
    await session.start()
    const other = { ...someone, user_id: 8 }
    requestTokens.mockResolvedValue({
      access_token: accessToken({ subject_access: other }),
      refresh_token: null,
    })
    localStorage.setItem('refresh_token', refreshToken(8))
    otherTabChanged('refresh_token')
    await vi.advanceTimersByTimeAsync(0)
    expect(session.state).toMatchObject({ user: other })
  })

  it('that sign in while this one asks for tokens are followed, whatever its answer is', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const other = { ...someone, user_id: 8 }
    const theirs = refreshToken(8)
    for (const answer of [Promise.resolve(fresh()), Promise.reject(new Error('revoked'))]) {
      localStorage.setItem('refresh_token', refreshToken())
      requestTokens.mockReset()
      requestTokens.mockImplementationOnce(() => {
        localStorage.setItem('refresh_token', theirs)
        return answer
      })
      requestTokens.mockResolvedValueOnce({
        access_token: accessToken({ subject_access: other }),
        refresh_token: null,
      })
      const session = makeSession()
      expect(await session.refresh()).toBe(true)
      expect(session.state).toMatchObject({ user: other })
      expect(requestTokens).toHaveBeenLastCalledWith(theirs)
      expect(localStorage.getItem('refresh_token')).toBe(theirs)
    }
  })

  it('that refresh or store something else leave it alone', async () => {
    const session = makeSession({ access: accessToken(), refresh: refreshToken() })
    await session.start()
    localStorage.setItem('refresh_token', refreshToken(someone.user_id, 1))
    otherTabChanged('refresh_token')
    otherTabChanged('language')
    await vi.advanceTimersByTimeAsync(0)
    expect(requestTokens).not.toHaveBeenCalled()
  })
})

describe('a visit of staff', () => {
  const visiting = (seconds = 1800) =>
    accessToken({ subject_access: { ...someone, by_staff: true } }, seconds)

  it('is of this tab alone: the member’s refresh token is neither used nor dropped', async () => {
    const theirs = refreshToken(1)
    const session = makeSession({ refresh: theirs })
    session.signIn({ access_token: visiting(), refresh_token: null })
    expect(session.isVisit).toBe(true)
    expect(await session.refresh()).toBe(false)
    expect(session.state.status).toBe('unauthenticated')
    expect(requestTokens).not.toHaveBeenCalled()
    expect(localStorage.getItem('refresh_token')).toBe(theirs)
  })

  it('goes on while the member’s own session is refreshed in another tab, and ends with it', async () => {
    const session = makeSession({ refresh: refreshToken(1) })
    session.signIn({ access_token: visiting(), refresh_token: null })
    await session.start()
    localStorage.setItem('refresh_token', refreshToken(1, 1))
    otherTabChanged('refresh_token')
    expect(session.isVisit).toBe(true)
    localStorage.removeItem('refresh_token')
    otherTabChanged('refresh_token')
    expect(session.state.status).toBe('unauthenticated')
  })

  it('ends at its time', async () => {
    const session = makeSession({ access: visiting(60), refresh: refreshToken(1) })
    await session.start()
    expect(session.isVisit).toBe(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(session.state.status).toBe('unauthenticated')
    expect(requestTokens).not.toHaveBeenCalled()
  })
})
