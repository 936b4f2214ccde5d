import { useRef, useState } from 'react'
import { myId } from './use-me'

/**
 * A text that the member who is signed in has begun to write about something (`what`), kept in this browser for them alone
 * until it is empty. A component that outlives `what` is to be keyed by it.
 */
export function useKeptText(what: string) {
  const [name] = useState(() => `console-text:${myId()}:${what}`)
  const [text, setText] = useState(() => localStorage.getItem(name) ?? '')
  // An answer that ends the session comes when nothing of the page is shown any more, and is kept all the same.
  const now = useRef(text)
  const change = (make: (before: string) => string) => {
    now.current = make(now.current)
    try {
      if (now.current === '') localStorage.removeItem(name)
      else localStorage.setItem(name, now.current)
    } catch {
      // No room, or none allowed: it is lost with the page.
    }
    setText(now.current)
  }
  return [text, change] as const
}
