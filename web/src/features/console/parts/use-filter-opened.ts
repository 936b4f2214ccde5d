import { useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'

/** Whether the choices of a filter are needed: it is set in the address, or a person has opened it. */
export function useFilterOpened(key: string): { isOpened: boolean; onOpen: () => void } {
  const isSet = useSearch({ strict: false, select: (search: object) => key in search })
  const [isOpened, setOpened] = useState(false)
  return { isOpened: isSet || isOpened, onOpen: useCallback(() => setOpened(true), []) }
}
