import { Card } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ErrorBlock } from './error-block'
import classes from './loaded.module.css'

const SKELETON_AFTER_MS = 150

/** The three states of a view: its skeleton, its problem with another try, itself. Data once there stays while it is fetched again. */
export function Loaded<T>(props: {
  query: UseQueryResult<T, Error>
  skeleton: ReactNode
  /** For a view that brings cards of its own: the problem gets one too. */
  hasCards?: boolean
  children: (data: T) => ReactNode
}) {
  const { data, error, isFetching, refetch } = props.query
  if (data !== undefined) return props.children(data)
  if (error) {
    const block = (
      <ErrorBlock error={error} isRetrying={isFetching} onRetry={() => void refetch()} />
    )
    return props.hasCards ? <Card>{block}</Card> : block
  }
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
    <div aria-busy="true" className={classes.late} data-seen={isSeen}>
      {children}
    </div>
  )
}
