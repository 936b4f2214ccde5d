import { myId } from './use-me'

type Values = Record<string, string | boolean>

/**
 * What the member who is signed in has begun to change of an object (`key`), kept in this tab's browser session: secrets of
 * others' objects don't outlive it. It stays this member's when the session ends; nobody else reads it.
 */
export function draftOf(key: string) {
  const name = `console-draft:${myId()}:${key}`
  return {
    read(): Values {
      try {
        return JSON.parse(sessionStorage.getItem(name) ?? '{}') as Values
      } catch {
        return {}
      }
    },
    keep(values: Values): void {
      try {
        if (Object.keys(values).length === 0) sessionStorage.removeItem(name)
        else sessionStorage.setItem(name, JSON.stringify(values))
      } catch {
        // No room, or none allowed: it is lost with the page.
      }
    },
    drop: (): void => sessionStorage.removeItem(name),
  }
}
