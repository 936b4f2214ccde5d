import { type RefObject, useEffect, useRef } from 'react'
import { isElsewhere } from '@/lib/keys'

type Handlers = {
  count: number
  /** Brings a row into the page, wherever it is. */
  show: (index: number) => void
  /** What a letter does with the row that has the focus, or with the list. */
  keys: Record<string, (index: number) => void>
}

const linkOf = (row: Element | null | undefined) => row?.querySelector<HTMLElement>('a, button')

/** `j` and `k` move through the rows; each row's link has the focus, so that Enter opens it. `.` opens the row's menu. */
export function useRowKeys(table: RefObject<HTMLElement | null>, handlers: Handlers): void {
  const now = useRef(handlers)
  useEffect(() => {
    now.current = handlers
  })
  useEffect(() => {
    const rowAt = (index: number) => table.current?.querySelector(`[data-index="${index}"]`)
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      const row = document.activeElement?.closest('[data-index]')
      const isInside = row !== null && row !== undefined && table.current?.contains(row)
      const at = isInside ? Number(row.getAttribute('data-index')) : -1
      const { count, show, keys } = now.current
      const step = { j: 1, k: -1 }[event.key]
      if (step !== undefined && count > 0) {
        const index = Math.min(Math.max(at + step, 0), count - 1)
        show(index)
        requestAnimationFrame(() => linkOf(rowAt(index))?.focus())
      } else if (event.key === '.' && isInside) {
        row.querySelector<HTMLElement>('[data-menu]')?.click()
      } else if (keys[event.key]) keys[event.key]?.(at)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [table])
}
