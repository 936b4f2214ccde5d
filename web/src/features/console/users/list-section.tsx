import { Skeleton } from '@mantine/core'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from '@/ui/loaded'
import { Items, Section } from '../parts/section'

/** Lines of a user's page that are read by themselves: where they fail, the others stay. */
export function ListSection<T>(props: {
  title: string
  /** Below `console`. */
  queryKey: QueryKey
  read: (signal: AbortSignal) => Promise<readonly T[]>
  empty: string
  children: (row: T) => ReactNode
  /** The way to all of them, once there is a line. */
  more?: ReactNode
}) {
  const query = useQuery({
    queryKey: ['console', ...props.queryKey],
    queryFn: ({ signal }) => props.read(signal),
    staleTime: 5_000,
  })
  return (
    <Section title={props.title}>
      <Loaded query={query} skeleton={<Skeleton height={120} />}>
        {(rows) => (
          <>
            <Items empty={props.empty}>{rows.map(props.children)}</Items>
            {rows.length > 0 && props.more}
          </>
        )}
      </Loaded>
    </Section>
  )
}
