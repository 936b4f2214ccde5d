import { useEffect, useState } from 'react'
import { useSession } from './current-session'

const DELAY_MS = 2000

/** Whether somebody is signed in and the page has had its time to load: what the shell asks beside it waits for that. */
export function useAfterLoad() {
  const isSignedIn = useSession().status === 'authenticated'
  const [isDue, setDue] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSignedIn && isDue
}
