import { CHAT_AFTER_SIGN_IN_MS } from '@/lib/constants'
import type { CrispDataResult } from '@/lib/api/gen/types.gen'
import type { Session } from '@/lib/session/session'
import { crisp } from './crisp'

type Sources = {
  /** The site's id at Crisp; empty where the site has no chat. */
  websiteId: () => Promise<string>
  /** What support learns of the user who is signed in. */
  userData: () => Promise<CrispDataResult>
}

/**
 * The live chat of whoever is signed in. A second after tokens are set it tells, once, who they are, and with that it
 * loads; at the sign-out it forgets them, so that the next user of this browser does not read their conversation.
 */
export class Chat {
  #sentFor: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #session: Session
  readonly #sources: Sources

  constructor(session: Session, sources: Sources) {
    this.#session = session
    this.#sources = sources
  }

  start(): void {
    this.#session.subscribe(() => this.#follow())
    this.#follow()
  }

  get #user(): number | undefined {
    const { state } = this.#session
    return state.status === 'authenticated' && !state.user.by_staff ? state.user.user_id : undefined
  }

  #follow(): void {
    clearTimeout(this.#timer)
    if (this.#user === this.#sentFor) return
    if (this.#sentFor !== undefined) {
      this.#sentFor = undefined
      crisp.forgetUser()
    }
    if (this.#user !== undefined) {
      this.#timer = setTimeout(() => void this.#send(), CHAT_AFTER_SIGN_IN_MS)
    }
  }

  async #send(): Promise<void> {
    const user = this.#user
    try {
      const websiteId = await this.#sources.websiteId()
      if (!websiteId) return
      const data = await this.#sources.userData()
      if (this.#user !== user || this.#sentFor === user) return
      this.#sentFor = user
      crisp.load(websiteId)
      crisp.tellUser(data)
    } catch (error) {
      // The next tokens bring the next try.
      console.warn('The chat was not loaded:', error)
    }
  }
}
