import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

const MAX_WAIT_MS = 500

/** Waits for what is above the rest and would push it down, but only a moment, and not for what failed. */
export function WaitForQueries(props: {
  queries: readonly Pick<UseQueryResult, 'isPending' | 'failureCount'>[]
  skeleton: ReactNode
  children: ReactNode
}) {
  const [isWaiting, setWaiting] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), MAX_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  const isMissing = props.queries.some((query) => query.isPending && query.failureCount === 0)
  return isWaiting && isMissing ? props.skeleton : props.children
}
