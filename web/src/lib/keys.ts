/** Whether a key is meant for something else: a field, the browser, an input method, a dialog or a menu. */
export function isElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true
  if (event.ctrlKey || event.metaKey || event.altKey) return true
  const target = event.target instanceof HTMLElement ? event.target : undefined
  if (
    target?.isContentEditable ||
    target?.matches('input:not([type=radio], [type=checkbox]), textarea, select')
  )
    return true
  return document.querySelector('[role=dialog], [role=menu]') !== null
}
