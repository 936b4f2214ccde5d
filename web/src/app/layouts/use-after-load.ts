import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

const QUIET_MS = 2000
const MAX_MS = 5000

/** Whether the page has loaded: for two seconds no query was running and none changed, or it has had five of them. */
export function useAfterLoad() {
  const client = useQueryClient()
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => (client.isFetching() > 0 ? wait() : end()), QUIET_MS)
    }
    const unsubscribe = client.getQueryCache().subscribe(wait)
    const stop = () => {
      clearTimeout(timer)
      clearTimeout(last)
      unsubscribe()
    }
    const end = () => {
      stop()
      setLoaded(true)
    }
    const last = setTimeout(end, MAX_MS)
    wait()
    return stop
  }, [client])
  return isLoaded
}
