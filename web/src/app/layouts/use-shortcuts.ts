import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isElsewhere } from '@/lib/keys'
import { navigation } from './navigation'

const NEXT_KEY_MS = 1500

const pageOf: ReadonlyMap<string, string> = new Map(
  navigation.flat().flatMap(({ to, shortcut }) => (shortcut ? [[shortcut, to]] : [])),
)

/**
 * `g` and a letter lead to a page (of `pages`, else of customers), `?` calls `onHelp`. Off while one types, and under dialogs
 * and menus.
 */
export function useShortcuts(onHelp: () => void, pages: ReadonlyMap<string, string> = pageOf) {
  const router = useRouter()
  const help = useRef({ onHelp, pages })
  useEffect(() => {
    help.current = { onHelp, pages }
  })
  useEffect(() => {
    let leadUntil = 0
    const press = (event: KeyboardEvent) => {
      const isLead = event.timeStamp < leadUntil
      leadUntil = 0
      if (isElsewhere(event)) return
      const page = isLead ? help.current.pages.get(event.key) : undefined
      if (page) void router.navigate({ to: page })
      else if (event.key === 'g') leadUntil = event.timeStamp + NEXT_KEY_MS
      else if (event.key === '?') help.current.onHelp()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press, true)
    return () => document.removeEventListener('keydown', press, true)
  }, [router])
}
