import { type RefObject, useEffect, useRef } from 'react'
import { isElsewhere } from '@/lib/keys'

/** `c` begins a new object: it presses the page's button or link for that, where the member has one. */
export function useNewKey(): RefObject<HTMLDivElement | null> {
  const page = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'c' || isElsewhere(event)) return
      const begin = page.current?.querySelector<HTMLElement>(
        'header :is(a[href$="/new"], [data-new])',
      )
      if (!begin) return
      event.preventDefault()
      begin.click()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return page
}
