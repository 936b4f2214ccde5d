import { queryOptions } from '@tanstack/react-query'
import { staffViews } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffViewsData, ViewItem } from '@/lib/api/gen/staff/types.gen'
import { addressOf, type ListSearch } from './list-search'

/** The lists that the server saves views of. */
export type ListName = StaffViewsData['query']['resource']

const staleTime = 30_000

/** The views that were saved of a list, and how it looks to the member without any. */
export const viewsOf = (resource: ListName) =>
  queryOptions({
    queryKey: ['console', 'views', resource],
    queryFn: async ({ signal }) =>
      (await staffViews({ query: { resource }, signal, throwOnError: true })).data,
    staleTime,
  })

/** Filters and sort as a view stores them: in the order of their names, so that two can be compared. */
export function searchText(search: Record<string, string>): string {
  const parts = new URLSearchParams(search)
  parts.sort()
  return parts.toString()
}

const partsOfView = ({ search }: ViewItem) => Object.fromEntries(new URLSearchParams(search))

/** The address of a list as the view has it. */
export const addressOfView = (view: ViewItem): ListSearch => ({
  ...addressOf(partsOfView(view)),
  view: view.id,
})

/** Whether a list is narrowed and sorted as the view says. */
export const isNarrowedAs = (view: ViewItem, search: Record<string, string>): boolean =>
  searchText(partsOfView(view)) === searchText(search)
