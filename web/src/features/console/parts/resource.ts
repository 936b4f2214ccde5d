import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { LinkProps } from '@tanstack/react-router'
import { type ListSearch, textsOf } from './list-search'
import { loadWhereMay } from './permissions'
import { type ListName, VIEWS_PERMISSION, viewsOf } from './views'

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

/**
 * A list of the API: how a part of it is read, and how many rows there are. One that views are saved of has the name that
 * the server knows it by.
 */
export type Resource<T, Name extends string = ListName> = {
  /** In keys of queries and in what the browser keeps. */
  name: Name
  load: (ask: Ask) => Promise<Part<T>>
  /** The parts of the address that narrow it, which are all that `load` and `count` get; absent: there are none. */
  keys?: readonly string[]
  /** How many rows the filters find; `isAtLeast` where nobody counted further. */
  count?: (ask: Omit<Ask, 'sort' | 'cursor'>) => Promise<{ count: number; isAtLeast?: boolean }>
  rowKey: (row: T) => string | number
  /** How often it is read again while it is in sight, in milliseconds. */
  everyMs?: number
  /** Its first rows are read again while it is in sight: they change in place, and new ones wait for a press. */
  isLive?: boolean
  /** Where the same rows are a file. */
  csv?: (filters: Record<string, string>, sort: string | undefined) => string
  /** Where they are a file in the format Apache Parquet. */
  parquet?: () => string
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
  /** Shown only where the member chooses it. */
  isExtra?: boolean
}

export type RowLink = Pick<LinkProps, 'to' | 'params' | 'search'>

const staleTime = 5_000

const only = (filters: Record<string, string>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(filters).filter(([key]) => keys.includes(key)))

/** What of the address narrows and sorts a list. Other parts, such as the page's language, are not the list's. */
export const narrowingOf = <T>({ keys = [] }: Resource<T, string>, search: ListSearch) =>
  only(textsOf(search), [...keys, 'sort'])

export const partsOf = <T>(resource: Resource<T, string>, search: Record<string, string>) => {
  const narrowing = narrowingOf(resource, search)
  const { sort, ...filters } = narrowing
  return infiniteQueryOptions({
    queryKey: ['console', resource.name, 'list', narrowing],
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
    ...(resource.everyMs && { refetchInterval: resource.everyMs }),
  })
}

export const countOf = <T>(resource: Resource<T, string>, search: Record<string, string>) => {
  const { sort: _, ...filters } = narrowingOf(resource, search)
  return queryOptions({
    queryKey: ['console', resource.name, 'count', filters],
    queryFn: async ({ signal }) => (await resource.count?.({ filters, signal })) ?? null,
    staleTime,
  })
}

/** For routes: reads the first rows, and how many there are, beside the page's code. */
export const loadRows = <T>(client: QueryClient, resource: Resource<T, string>, search: object) => {
  const texts = textsOf(search as ListSearch)
  return Promise.all([
    client.prefetchInfiniteQuery(partsOf(resource, texts)),
    client.prefetchQuery(countOf(resource, texts)),
  ])
}

/** For routes of pages that are a list: the rows, and the views that were saved of it. */
export const loadList = <T>(client: QueryClient, resource: Resource<T>, search: object) =>
  Promise.all([
    loadRows(client, resource, search),
    loadWhereMay(client, VIEWS_PERMISSION, () => client.prefetchQuery(viewsOf(resource.name))),
  ])

type Call<D> = (options: {
  query: never
  signal: AbortSignal
  throwOnError: true
}) => Promise<{ data: D }>

/** For lists that are read by key: what they are filtered and sorted by goes to the server as the address has it. */
export const byKey = <T>(list: {
  name: ListName
  /** The filters that the operation knows, with `q`. */
  keys: readonly string[]
  list: Call<{ rows: T[]; next_cursor: string }>
  count: Call<{ rows: number; approximate: boolean }>
  /** Where the same is read as a file. */
  csv: string
  rowKey: Resource<T>['rowKey']
}): Resource<T> => ({
  name: list.name,
  keys: list.keys,
  rowKey: list.rowKey,
  isLive: true,
  csv: (filters, sort) =>
    `${list.csv}?${new URLSearchParams({ ...only(filters, list.keys), ...(sort && { sort }) })}`,
  load: async ({ filters, sort, cursor, signal }) => {
    const query = {
      ...filters,
      sort,
      cursor,
      limit: PART_SIZE,
    } as never
    const { data } = await list.list({ query, signal, throwOnError: true })
    return { rows: data.rows, next: data.next_cursor }
  },
  count: async ({ filters, signal }) => {
    const query = filters as never
    const { data } = await list.count({ query, signal, throwOnError: true })
    return { count: data.rows, isAtLeast: data.approximate }
  },
})

/** For lists that are read by offset. */
export const byPart = <T, Name extends string = ListName>(list: {
  name: Name
  keys?: readonly string[]
  list: (options: {
    query: never
    signal: AbortSignal
    throwOnError: true
  }) => Promise<{ rows: T[]; total: number }>
  rowKey: Resource<T>['rowKey']
}): Resource<T, Name> => ({
  name: list.name,
  keys: list.keys ?? [],
  rowKey: list.rowKey,
  load: async ({ filters, cursor, signal }) => {
    const query = {
      ...filters,
      limit: PART_SIZE,
      offset: Number(cursor ?? 0),
    } as never
    const { rows, total } = await list.list({
      query,
      signal,
      throwOnError: true,
    })
    return byOffset(rows, cursor, total)
  },
  count: async ({ filters, signal }) => {
    const query = { ...filters, limit: 1 } as never
    const { total } = await list.list({ query, signal, throwOnError: true })
    return { count: total }
  },
})

export const PART_SIZE = 50

/** For operations that page by offset: the cursor is the number of rows before. */
export function byOffset<T>(rows: T[], cursor: string | undefined, total?: number): Part<T> {
  const after = Number(cursor ?? 0) + rows.length
  const isLast = total === undefined ? rows.length < PART_SIZE : after >= total
  return {
    rows,
    next: isLast || rows.length === 0 ? undefined : String(after),
  }
}
