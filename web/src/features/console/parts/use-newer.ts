import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { narrowingOf, type Part, partsOf, type Resource } from './resource'

const EVERY_MS = 15_000

/**
 * Reads the first rows of a list again while its tab is in sight. Those that are shown change in place; how many stand
 * before them is given, since the list must not move under somebody's hand. Only the usual order has new rows at its
 * beginning.
 */
export function useNewer<T>(
  resource: Resource<T, string>,
  search: Record<string, string>,
  rows: readonly T[],
): number {
  const client = useQueryClient()
  const list = partsOf(resource, search)
  const { sort, ...filters } = narrowingOf(resource, search)
  const { data, dataUpdatedAt } = useQuery({
    // Not below `console`: what is done there reads the list itself anew.
    queryKey: ['console-newer', resource.name, filters],
    queryFn: ({ signal }) => resource.load({ filters, signal }),
    enabled: resource.isLive === true && sort === undefined,
    initialData: null as Part<T> | null,
    refetchInterval: EVERY_MS,
    staleTime: Infinity,
    gcTime: 0,
  })
  const listAt = client.getQueryState(list.queryKey)?.dataUpdatedAt ?? 0
  const fresh = data && dataUpdatedAt > listAt ? data.rows : undefined
  const changeInPlace = useRef<(newest: readonly T[]) => void>(undefined)
  useEffect(() => {
    changeInPlace.current = (newest) => {
      const byKey = new Map(newest.map((row) => [resource.rowKey(row), row]))
      client.setQueryData<InfiniteData<Part<T>, string>>(
        list.queryKey,
        (now) =>
          now && {
            ...now,
            pages: now.pages.map((part) => ({
              ...part,
              rows: part.rows.map((row) => byKey.get(resource.rowKey(row)) ?? row),
            })),
          },
        // Only some of it is as new as that.
        { updatedAt: listAt },
      )
    }
  })
  useEffect(() => {
    if (fresh) changeInPlace.current?.(fresh)
  }, [fresh])
  return useMemo(() => {
    if (!fresh) return 0
    const shown = new Set(rows.map((row) => resource.rowKey(row)))
    const at = fresh.findIndex((row) => shown.has(resource.rowKey(row)))
    return at < 0 ? fresh.length : at
  }, [fresh, rows, resource])
}
