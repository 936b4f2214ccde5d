import { type ReactNode, useSyncExternalStore } from 'react'
import { messageColors } from '@/lib/constants'

const AUTO_CLOSE_MS = 4_000

let isNeeded = false
const waiting = new Set<() => void>()
/** Closes the errors that are shown. */
let closeErrors = () => {}

/** For a new try: what is said of an earlier one is past, whatever comes of this one. */
export const dismissErrors = () => closeErrors()

/**
 * Says in a corner what came of something that has no spot of its own on the page. One event, one toast; what is said
 * next to a form or in a dialog needs none. An error stays until it is closed.
 */
export async function toast(
  kind: keyof typeof messageColors,
  message: ReactNode,
  closeAfter = AUTO_CLOSE_MS,
): Promise<void> {
  const { showToast, hideToast } = await import('./toaster')
  const isError = kind === 'error'
  const id = showToast({
    message,
    color: messageColors[kind],
    role: isError ? 'alert' : 'status',
    autoClose: isError ? false : closeAfter,
  })
  if (isError) {
    const closeEarlier = closeErrors
    closeErrors = () => {
      closeEarlier()
      hideToast(id)
      closeErrors = () => {}
    }
  }
  isNeeded = true
  for (const tell of waiting) tell()
}

/** Whether there was a toast yet: without one its corner need not be loaded. */
export function useIsToasting(): boolean {
  return useSyncExternalStore(
    (tell) => {
      waiting.add(tell)
      return () => waiting.delete(tell)
    },
    () => isNeeded,
  )
}
