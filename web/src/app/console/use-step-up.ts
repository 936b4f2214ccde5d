import { useEffect, useState } from 'react'
import { loadTexts } from '../i18n'
import { proveWith } from '@/lib/api/client'

/** Ends a question: whether the member has shown who they are. */
type End = (isProved: boolean) => void

/**
 * Whatever call of the console the server refuses until the member has shown the password or a passkey waits for one
 * dialog, and is repeated after it. Gives how the question ends, while there is one.
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
  await loadTexts('account', 'passkey')
  return new Promise(show)
}
