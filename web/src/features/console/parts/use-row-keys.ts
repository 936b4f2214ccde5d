import { type RefObject, useEffect, useRef } from 'react'
import { isElsewhere } from '@/lib/keys'

type Handlers = {
  count: number
  /** The row that is meant while the focus is in none; -1: there is none. */
  at: number
  /** Brings a row into the page, wherever it is. */
  show: (index: number) => void
  /** What a letter does with the row that has the focus, or with the list. */
  keys: Record<string, (index: number) => void>
  onMove: (index: number) => void
  /** For Escape, where something can be closed. */
  onClose: (() => void) | undefined
}

/** What has the focus for a row: its link, so that Enter opens it, or itself where it leads nowhere. */
const focusOf = (row: Element | null | undefined) =>
  row?.querySelector<HTMLElement>('[data-row-link]') ??
  (row instanceof HTMLElement ? row : undefined)

/** What the space bar presses already: a button, a box to tick. */
const isPressable = (target: EventTarget | null) =>
  target instanceof Element && target.matches('button, input, summary, [role=button]')

/**
 * `j` and `k` move through the rows. `.` opens the row's menu, `e` its form, else the row. Escape ends what the list
 * opened beside it.
 */
export function useRowKeys(table: RefObject<HTMLElement | null>, handlers: Handlers): void {
  const now = useRef(handlers)
  useEffect(() => {
    now.current = handlers
  })
  useEffect(() => {
    // The row that gets the focus with the next frame: keys may come faster than that.
    let next: number | undefined
    const rowAt = (index: number) => table.current?.querySelector(`[data-index="${index}"]`)
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      const row = document.activeElement?.closest('[data-index]')
      const isInside = row !== null && row !== undefined && table.current?.contains(row)
      const { count, show, keys, onMove, onClose } = now.current
      const at = next ?? (isInside ? Number(row.getAttribute('data-index')) : now.current.at)
      const step = { j: 1, k: -1 }[event.key]
      if (step !== undefined && count > 0) {
        const index = Math.min(Math.max(at + step, 0), count - 1)
        show(index)
        onMove(index)
        next = index
        requestAnimationFrame(() => {
          if (next !== index) return
          next = undefined
          focusOf(rowAt(index))?.focus()
        })
      } else if (event.key === 'Escape' && onClose) onClose()
      else if (event.key === '.' && isInside) row.querySelector<HTMLElement>('[data-menu]')?.click()
      else if (event.key === 'e' && isInside && row.querySelector('[data-row-link]'))
        focusOf(row)?.click()
      else if (event.key === ' ' && (at < 0 || isPressable(event.target))) return
      else if (keys[event.key]) keys[event.key]?.(at)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [table])
}
