import { useRef, type SyntheticEvent } from 'react'

type Submit = (event?: SyntheticEvent) => Promise<void>

/** Sends a form once at a time: the last digit of a code and Enter right after it are one submission. */
export function useOnce(submit: Submit): Submit {
  const isRunning = useRef(false)
  return async (event) => {
    event?.preventDefault()
    if (isRunning.current) return
    isRunning.current = true
    try {
      await submit(event)
    } finally {
      isRunning.current = false
    }
  }
}
