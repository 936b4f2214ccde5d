import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { navigation } from './navigation'

const NEXT_KEY_MS = 1500

const pageOf = new Map(
  navigation.flat().flatMap(({ to, shortcut }) => (shortcut ? [[shortcut, to]] : [])),
)

/** `g` and a letter lead to a page, `?` calls `onHelp`. Off while one types, and under dialogs and menus. */
export function useShortcuts(onHelp: () => void) {
  const router = useRouter()
  const help = useRef(onHelp)
  useEffect(() => {
    help.current = onHelp
  })
  useEffect(() => {
    let leadUntil = 0
    const press = (event: KeyboardEvent) => {
      const isLead = event.timeStamp < leadUntil
      leadUntil = 0
      if (isElsewhere(event)) return
      const page = isLead ? pageOf.get(event.key) : undefined
      if (page) void router.navigate({ to: page })
      else if (event.key === 'g') leadUntil = event.timeStamp + NEXT_KEY_MS
      else if (event.key === '?') help.current()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [router])
}

/** Whether a key is meant for something else: a field, the browser, an input method, a dialog or a menu. */
function isElsewhere(event: KeyboardEvent): boolean {
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
