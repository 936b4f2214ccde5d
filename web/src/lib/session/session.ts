import type { Authorization } from '@/lib/api/client'
import { REFRESH_BEFORE_EXPIRY_MS, RESCHEDULE_AFTER_MS, storageKeys } from '@/lib/constants'
import { withRefreshLock } from './refresh-lock'
import { readPayload, type SignedInUser } from './token-payload'
import { tokenStorage } from './token-storage'

// Timers stand still while a machine sleeps, and clocks are set: it is looked at the clock at least so often.
const LONGEST_TIMER_MS = 60_000

/** A refresh token of null means: the one you have stays good. */
export type Tokens = { access_token: string; refresh_token: string | null }

export type SessionState =
  | { status: 'unauthenticated' }
  | { status: 'authenticated'; user: SignedInUser; accessToken: string; expiresAt: Date }

/**
 * Who is signed in, in all tabs of this browser, and the timer that renews the access token.
 * Every change reaches the subscribers, whichever tab or failed call caused it.
 */
export class Session implements Authorization {
  #state: SessionState = { status: 'unauthenticated' }
  #timer: ReturnType<typeof setTimeout> | undefined
  #refreshing: Promise<boolean> | undefined
  readonly #subscribers = new Set<() => void>()
  readonly #requestTokens: (refreshToken: string) => Promise<Tokens>

  constructor(requestTokens: (refreshToken: string) => Promise<Tokens>) {
    this.#requestTokens = requestTokens
  }

  get state(): SessionState {
    return this.#state
  }

  /** Who is signed in. What the browser stores of a person's doings is named by it. */
  get userId(): number | undefined {
    return this.#state.status === 'authenticated' ? this.#state.user.user_id : undefined
  }

  get isExpired(): boolean {
    return this.#state.status === 'authenticated' && this.#state.expiresAt.getTime() <= Date.now()
  }

  /** Whether a member of staff sees the site as the user does: in this tab alone, next to a session of their own. */
  get isVisit(): boolean {
    return this.#state.status === 'authenticated' && this.#state.user.by_staff === true
  }

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber)
    return () => this.#subscribers.delete(subscriber)
  }

  /** Takes up the stored tokens and watches clock, network and other tabs. Resolves once it is known who is signed in. */
  async start(): Promise<void> {
    window.addEventListener('storage', (event) => this.#followOtherTab(event))
    window.addEventListener('online', () => this.#schedule())
    document.addEventListener('visibilitychange', () => this.#schedule())

    const accessToken = tokenStorage.accessToken()
    if (accessToken && this.#take(accessToken)) this.#schedule()
    if (this.#state.status === 'unauthenticated' && tokenStorage.refreshToken())
      await this.refresh()
  }

  /** Takes the tokens of a sign-in. False when the access token can't be used. */
  signIn(tokens: Tokens): boolean {
    return this.#keep(tokens)
  }

  /** Forgets the tokens; subscribers lead the user to the sign-in page. */
  signOut(): void {
    clearTimeout(this.#timer)
    tokenStorage.dropAccessToken()
    if (!this.isVisit) tokenStorage.dropRefreshToken()
    this.#change({ status: 'unauthenticated' })
  }

  /**
   * Trades the refresh token for new tokens, once at a time over all tabs. A refusal signs out.
   * False when there are no new tokens; offline, that leaves the session as it is. A visit ends instead: the refresh token
   * of this browser is the member's own.
   */
  refresh(): Promise<boolean> {
    if (this.isVisit) {
      this.signOut()
      return Promise.resolve(false)
    }
    this.#refreshing ??= withRefreshLock(() => this.#refreshNow()).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  accessToken(): string | undefined {
    return this.#state.status === 'authenticated' ? this.#state.accessToken : undefined
  }

  async replace(refusedToken: string): Promise<boolean> {
    const isReplaced = this.accessToken() !== undefined && this.accessToken() !== refusedToken
    return isReplaced || this.refresh()
  }

  async #refreshNow(): Promise<boolean> {
    if (tokenStorage.isRefreshStopped() || !navigator.onLine) return false

    const refreshToken = tokenStorage.refreshToken()
    if (!refreshToken) {
      console.warn('There is no refresh token.')
      if (this.#state.status === 'authenticated') this.signOut()
      return false
    }
    try {
      const tokens = await this.#requestTokens(refreshToken)
      return this.#isReplaced(refreshToken) ? this.#refreshNow() : this.#keep(tokens)
    } catch (error) {
      if (this.#isReplaced(refreshToken)) return this.#refreshNow()
      console.error('The session was not refreshed:', error)
      this.signOut()
      return false
    }
  }

  /** Somebody signed in, or out, in another tab while the answer was on its way. */
  #isReplaced(refreshToken: string): boolean {
    return tokenStorage.refreshToken() !== refreshToken
  }

  #keep(tokens: Tokens): boolean {
    if (!this.#take(tokens.access_token, true)) {
      this.signOut()
      return false
    }
    if (tokens.refresh_token) tokenStorage.keepRefreshToken(tokens.refresh_token)
    this.#scheduleIn(RESCHEDULE_AFTER_MS)
    return true
  }

  #take(accessToken: string, isFresh = false): boolean {
    const payload = readPayload(accessToken)
    if (payload?.token_type !== 'access' || !payload.subject_access) return false
    if (!payload.exp) {
      console.warn('The access token has no expiry.')
      this.signOut()
      return false
    }
    const expiresAt = new Date(expiryHere(payload.exp, isFresh ? payload.iat : undefined))
    tokenStorage.keepAccessToken(accessToken, expiresAt)
    this.#change({ status: 'authenticated', user: payload.subject_access, accessToken, expiresAt })
    return true
  }

  #schedule(): void {
    if (this.#state.status !== 'authenticated') return
    const delay = this.#state.expiresAt.getTime() - REFRESH_BEFORE_EXPIRY_MS - Date.now()
    if (delay > 0) this.#scheduleIn(delay)
    else void this.refresh()
  }

  #scheduleIn(delay: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#schedule(), Math.min(delay, LONGEST_TIMER_MS))
  }

  #followOtherTab(event: StorageEvent): void {
    if (event.key !== storageKeys.refreshToken && event.key !== null) return
    const refreshToken = tokenStorage.refreshToken()
    if (!refreshToken) {
      if (this.#state.status === 'authenticated') this.signOut()
      return
    }
    const userId = readPayload(refreshToken)?.subject_refresh?.user_id
    const isSameUser = userId !== undefined && userId === this.userId
    if (!isSameUser && !this.isVisit) void this.refresh()
  }

  #change(state: SessionState): void {
    this.#state = state
    for (const subscriber of this.#subscribers) subscriber()
  }
}

const WRONG_CLOCK_MS = 60_000

/**
 * When a token ends by this machine's clock, in ms. A token that was issued just now, and says that it was not, tells
 * that the clock is wrong; by its own `exp` it would then be refreshed all the time, or too late.
 */
function expiryHere(exp: number, issuedJustNow: number | undefined): number {
  const wrong = issuedJustNow === undefined ? 0 : Date.now() - issuedJustNow * 1000
  return exp * 1000 + (Math.abs(wrong) > WRONG_CLOCK_MS ? wrong : 0)
}
