import { useEffect, useState } from 'react'
import { toServerTime } from '@/lib/api/server-clock'

/** The time, kept current: once a minute by default. */
export function useNow(everyMs = 60_000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** The same by the server's clock: for what the server ends at a time of its own, whatever this device's clock says. */
export const useServerNow = (everyMs?: number): number => toServerTime(useNow(everyMs))
