/** The palette's chunk comes within seconds, or not at all. */
const HOLD_MS = 5000

let typed = ''
let hear: (typed: string) => void = () => {}
let release = () => {}

/**
 * Takes what is typed before the palette is there: the page would take it for its shortcuts, or for text of the field that
 * has the focus. It ends once the palette's field, or another, gets the focus.
 */
export function holdKeys(): void {
  release()
  typed = ''
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return release()
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else if (event.key.length === 1) typed += event.key
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
    hear(typed)
  }
  const focus = ({ target }: FocusEvent) => {
    if (target instanceof Element && target.matches('input, textarea')) release()
  }
  window.addEventListener('keydown', press, true)
  window.addEventListener('focusin', focus)
  const timer = setTimeout(() => release(), HOLD_MS)
  release = () => {
    clearTimeout(timer)
    window.removeEventListener('keydown', press, true)
    window.removeEventListener('focusin', focus)
  }
}

/** What was typed since holdKeys. */
export const heldKeys = () => typed

/** Has `listener` hear of all that was typed since holdKeys, at once and at each further key. Returns its end. */
export function hearKeys(listener: (typed: string) => void): () => void {
  hear = listener
  listener(typed)
  return () => {
    hear = () => {}
  }
}
