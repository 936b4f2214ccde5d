import { useState } from 'react'
import { ApiError } from '@/lib/api/errors'
import type { Proof } from '@/ui/captcha/use-calls'

const PAUSE_MS = 60_000
/** What is longer, such as a day's limit, is no countdown. */
const MAX_PAUSE_S = 3600

export type SendCode = (body: { email: string } & Proof) => Promise<unknown>

export type CodeRequest = ReturnType<typeof useCodeRequest>

/** Asks for codes by email and knows when, and to which address, the next one may be asked for. */
export function useCodeRequest(send: SendCode) {
  const [asked, setAsked] = useState({ email: '', again: 0, isSent: false })

  /** Throws what the server refuses. */
  const ask = async (email: string, proof: Proof) => {
    try {
      await send({ email, ...proof })
      setAsked({ email, again: Date.now() + PAUSE_MS, isSent: true })
    } catch (error) {
      const pause = error instanceof ApiError ? (error.retryAfter ?? 0) : 0
      if (pause > 0 && pause <= MAX_PAUSE_S) {
        const again = Date.now() + pause * 1000
        setAsked(({ isSent, ...last }) => ({
          email,
          again,
          isSent: isSent && last.email === email,
        }))
      }
      throw error
    }
  }

  return {
    ask,
    /** The address that got the newest code. */
    sentTo: asked.isSent ? asked.email : undefined,
    /** When an address may be sent another one; 0 is now. */
    nextAt: (email: string) => (asked.email === email ? asked.again : 0),
  }
}
