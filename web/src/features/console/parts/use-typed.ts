import { useState } from 'react'
import type { Values } from './action'

/** What was typed into the dialog of an action and not sent. */
export type Typed = { values: Values; keep: (values: Values) => void }

/**
 * Keeps what is typed into the dialogs of a page's actions for as long as the page stays open: one that a stray key or click
 * has closed opens with it again. Gives it by the action's key; the page of another object has its own.
 */
export function useTyped(): (action: string) => Typed {
  const [kept] = useState(() => new Map<string, Values>())
  return (action) => {
    const key = `${window.location.pathname} ${action}`
    return {
      values: kept.get(key) ?? {},
      keep: (values) => kept.set(key, values),
    }
  }
}
