import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ErrorBlock } from './error-block'

const SKELETON_AFTER_MS = 150

/** The three states of a view: its skeleton, its problem with another try, itself. Data once there stays while it is fetched again. */
export function Loaded<T>(props: {
  query: UseQueryResult<T, Error>
  skeleton: ReactNode
  children: (data: T) => ReactNode
}) {
  const { data, error, isFetching, refetch } = props.query
  if (data !== undefined) return props.children(data)
  if (error && !isFetching) return <ErrorBlock error={error} isRetrying={false} onRetry={() => void refetch()} />
  if (error) return <ErrorBlock error={error} isRetrying onRetry={() => undefined} />
  return <Late>{props.skeleton}</Late>
}

/** Takes its place at once but is seen only after a moment: a fast answer shows no skeleton at all. */
function Late({ children }: { children: ReactNode }) {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" style={{ visibility: isSeen ? 'visible' : 'hidden' }}>
      {children}
    </div>
  )
}
