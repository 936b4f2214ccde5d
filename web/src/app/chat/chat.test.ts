import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessToken, refreshToken, someone } from '@/test/tokens'
import { Session } from '@/lib/session/session'
import { Chat } from './chat'

const websiteId = '0f8fad5b-d9cb-469f-a165-70867728950e'
const data = {
  user_email: 'lin@example.com',
  user_nickname: '林晓',
  session_data: [
    ['user_id', 7],
    ['balance', '128.50'],
  ],
}
const introduction = [
  ['set', 'user:email', ['lin@example.com']],
  ['set', 'user:nickname', ['林晓']],
  ['set', 'session:data', [data.session_data]],
]

const userData = vi.fn(async () => data)
const scripts = () => [...document.querySelectorAll<HTMLScriptElement>('script[src*=crisp]')]

function open(id = websiteId) {
  const session = new Session(vi.fn())
  new Chat(session, { websiteId: async () => id, userData }).start()
  const signIn = (change: Record<string, unknown> = {}) =>
    session.signIn({ access_token: accessToken(change), refresh_token: refreshToken() })
  return { session, signIn }
}

beforeEach(() => {
  vi.useFakeTimers()
  userData.mockClear()
})

afterEach(() => {
  delete window.$crisp
  for (const script of scripts()) script.remove()
})

describe('the chat', () => {
  it('loads for nobody, and not where the site has none', async () => {
    const { signIn } = open('')
    await vi.advanceTimersByTimeAsync(5_000)
    signIn()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(userData).not.toHaveBeenCalled()
    expect(scripts()).toHaveLength(0)
    expect(window.$crisp).toBeUndefined()
  })

  it('tells e-mail, nickname and session data 1 s after tokens are set', async () => {
    const { signIn } = open()
    signIn()
    await vi.advanceTimersByTimeAsync(999)
    expect(scripts()).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(scripts().map(({ src }) => src)).toEqual(['https://client.crisp.chat/l.js'])
    expect(window.CRISP_WEBSITE_ID).toBe(websiteId)
    expect(window.$crisp).toEqual(introduction)
  })

  it('tells nobody of a user whom staff visits', async () => {
    const { signIn } = open()
    signIn({ subject_access: { ...someone, by_staff: true } })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(userData).not.toHaveBeenCalled()
    expect(scripts()).toHaveLength(0)
  })

  it('tells it once, however often tokens are renewed', async () => {
    const { signIn } = open()
    signIn()
    await vi.advanceTimersByTimeAsync(1_000)
    signIn()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(userData).toHaveBeenCalledOnce()
    expect(window.$crisp).toHaveLength(3)
  })

  it('forgets the user at the sign-out and tells the next one anew', async () => {
    const { session, signIn } = open()
    signIn()
    await vi.advanceTimersByTimeAsync(1_000)
    session.signOut()
    expect(window.$crisp).toEqual([...introduction, ['do', 'session:reset']])
    signIn()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(window.$crisp).toEqual([...introduction, ['do', 'session:reset'], ...introduction])
    expect(scripts()).toHaveLength(1)
  })

  it('forgets a user whom another one takes the place of', async () => {
    const { signIn } = open()
    signIn()
    await vi.advanceTimersByTimeAsync(1_000)
    signIn({ subject_access: { ...someone, user_id: 8 } })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(window.$crisp).toEqual([...introduction, ['do', 'session:reset'], ...introduction])
  })

  it('tells nothing of a user who has left within the second', async () => {
    const { session, signIn } = open()
    signIn()
    await vi.advanceTimersByTimeAsync(500)
    session.signOut()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(userData).not.toHaveBeenCalled()
    expect(window.$crisp).toBeUndefined()
  })

  it('tries again with the next tokens when the data did not come', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    userData.mockRejectedValueOnce(new Error('busy'))
    const { signIn } = open()
    signIn()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(scripts()).toHaveLength(0)
    signIn()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(window.$crisp).toEqual(introduction)
  })
})
