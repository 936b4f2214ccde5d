import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import type { Part, Resource, RowLink } from './resource'

/** The objects before and after one in the list that was shown last with it; none where it came from elsewhere. */
export function useNeighbours<T>(
  resource: Resource<T, string>,
  key: string | number,
  link: (key: string) => RowLink,
): { before?: RowLink; after?: RowLink } {
  const client = useQueryClient()
  const lists = client
    .getQueryCache()
    .findAll({ queryKey: ['console', resource.name, 'list'] })
    .toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
  for (const { state } of lists) {
    const data = state.data as InfiniteData<Part<T>> | undefined
    const keys = data?.pages.flatMap(({ rows }) => rows.map((row) => String(resource.rowKey(row))))
    const at = keys?.indexOf(String(key)) ?? -1
    if (!keys || at < 0) continue
    const before = keys[at - 1]
    const after = keys[at + 1]
    return {
      ...(before !== undefined && { before: link(before) }),
      ...(after !== undefined && { after: link(after) }),
    }
  }
  return {}
}
