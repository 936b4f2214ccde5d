import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { LinkProps } from '@tanstack/react-router'
import { type ListSearch, textsOf } from './list-search'

export type Part<T> = {
  rows: T[]
  /** Where the next part begins; absent after the last one. */ next?: string | undefined
}

/** What a part of a list is asked by. */
export type Ask = {
  filters: Record<string, string>
  sort?: string
  cursor?: string
  signal: AbortSignal
}

/** A list of the API: how a part of it is read, and how many rows there are. */
export type Resource<T> = {
  /** In keys of queries and in what the browser keeps. */
  name: string
  load: (ask: Ask) => Promise<Part<T>>
  /** How many rows the filters find; `isAtLeast` where nobody counted further. */
  count?: (ask: Omit<Ask, 'sort' | 'cursor'>) => Promise<{ count: number; isAtLeast?: boolean }>
  rowKey: (row: T) => string | number
}

export type Column<T> = {
  key: string
  title: string
  cell: (row: T) => ReactNode
  /** As CSS; absent: what is left. */
  width?: string
  /** The server's name of the order, where the list can be sorted by it. */
  sort?: string
  /** Numbers stand at the end, so that their digits line up. */
  align?: 'end'
  /** Where it stands on a phone's card; absent: nowhere. */
  place?: 'title' | 'state' | 'fact'
}

export type RowLink = Pick<LinkProps, 'to' | 'params' | 'search'>

const staleTime = 5_000

export const partsOf = <T>(resource: Resource<T>, search: Record<string, string>) => {
  const { sort, ...filters } = search
  return infiniteQueryOptions({
    queryKey: ['console', resource.name, 'list', search],
    queryFn: ({ pageParam, signal }) =>
      resource.load({
        filters,
        signal,
        ...(sort && { sort }),
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: (part) => part.next || undefined,
    staleTime,
  })
}

export const countOf = <T>(resource: Resource<T>, search: Record<string, string>) => {
  const { sort: _, ...filters } = search
  return queryOptions({
    queryKey: ['console', resource.name, 'count', filters],
    queryFn: async ({ signal }) => (await resource.count?.({ filters, signal })) ?? null,
    staleTime,
  })
}

/** For routes: reads the first part of a list, and how many there are, beside the page's code. */
export const loadList = <T>(client: QueryClient, resource: Resource<T>, search: object) => {
  const texts = textsOf(search as ListSearch)
  return Promise.all([
    client.prefetchInfiniteQuery(partsOf(resource, texts)),
    client.prefetchQuery(countOf(resource, texts)),
  ])
}

export const PART_SIZE = 50

/** For operations that page by offset: the cursor is the number of rows before. */
export function byOffset<T>(rows: T[], cursor: string | undefined, total?: number): Part<T> {
  const after = Number(cursor ?? 0) + rows.length
  const isLast = total === undefined ? rows.length < PART_SIZE : after >= total
  return { rows, next: isLast || rows.length === 0 ? undefined : String(after) }
}
