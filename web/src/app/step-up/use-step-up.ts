import { useEffect, useState } from 'react'
import { proveWith } from '@/lib/api/prove'
import { loadTexts } from '../i18n'

/** Ends a question: whether the user has shown who they are. */
type End = (isProved: boolean) => void

/**
 * Whatever call the server refuses until the user has shown the password or a passkey waits for one dialog, and is repeated
 * after it. Gives how the question ends, while there is one.
 */
export function useStepUp(): End | undefined {
  const [end, setEnd] = useState<End>()
  useEffect(() => {
    let asked: Promise<boolean> | undefined
    proveWith(() => {
      asked ??= question((one) => setEnd(() => one)).finally(() => {
        asked = undefined
        setEnd(undefined)
      })
      return asked
    })
    return () => proveWith(undefined)
  }, [])
  return end
}

async function question(show: (end: End) => void): Promise<boolean> {
  await loadTexts('step-up', 'account', 'passkey')
  return new Promise(show)
}
