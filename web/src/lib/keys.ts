const OFF = 'keys-off'

/** Whether the member turned single keys off in this browser, since they get in the way of their own or of speech input. */
export function areKeysOff(): boolean {
  try {
    return localStorage.getItem(OFF) !== null
  } catch {
    return false
  }
}

export function turnKeys(areOn: boolean): void {
  try {
    if (areOn) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, '1')
  } catch {
    // Nothing may be stored: they stay as they are.
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
