/** Where it is stored that single keys are off. */
export const KEYS_OFF = 'keys-off'

/** Whether the member turned single keys off in this browser, since they get in the way of their own or of speech input. */
export function areKeysOff(): boolean {
  try {
    return localStorage.getItem(KEYS_OFF) !== null
  } catch {
    return false
  }
}

/** Whether a key is meant for something else: a field, the browser, an input method, a dialog or a menu. */
export function isElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || areKeysOff()) return true
  if (event.ctrlKey || event.metaKey || event.altKey) return true
  const target = event.target instanceof HTMLElement ? event.target : undefined
  if (
    target?.isContentEditable ||
    target?.matches('input:not([type=radio], [type=checkbox]), textarea, select')
  )
    return true
  return document.querySelector('[role=dialog], [role=menu]') !== null
}
