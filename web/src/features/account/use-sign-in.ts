import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '@/lib/api/errors'
import { session } from '@/lib/session/current-session'
import { returnPath } from '@/lib/return-path'

/** Signs in with the tokens of a call and goes where the user wanted to; knows whether the second step is asked for. */
export function useSignIn(next: string | undefined) {
  const router = useRouter()
  const [needsSecondStep, setNeedsSecondStep] = useState(false)

  /** Throws what the server refuses. That it asks for the second step is nothing wrong yet, and returned. */
  const enter = async (call: Promise<Parameters<typeof session.signIn>[0]>) => {
    try {
      session.signIn(await call)
      await router.navigate({ href: returnPath(next), replace: true })
      return undefined
    } catch (error) {
      if (error instanceof ApiError && error.fields.some(({ field }) => field === 'two_fa_code')) {
        setNeedsSecondStep(true)
        if (!needsSecondStep) return error
      }
      throw error
    }
  }
  return { enter, needsSecondStep }
}
