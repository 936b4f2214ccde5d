import { useEffect, useRef } from 'react'
import { isElsewhere } from '@/lib/keys'

/** Has a key do something on a page, unless it is meant for something else, such as a field or a dialog. */
export function useKey(key: string, onPress: (() => void) | undefined): void {
  const now = useRef(onPress)
  useEffect(() => {
    now.current = onPress
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== key || !now.current || isElsewhere(event)) return
      event.preventDefault()
      now.current()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [key])
}
