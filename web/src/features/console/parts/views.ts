import { queryOptions, useQuery } from '@tanstack/react-query'
import { staffViews } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffViewsData, ViewItem } from '@/lib/api/gen/staff/types.gen'
import { addressOf, type ListSearch } from './list-search'
import { useMay } from './permissions'

/** The lists that the server saves views of. */
export type ListName = StaffViewsData['query']['resource']

/** What reading and saving views, and the look of a list, needs. */
export const VIEWS_PERMISSION = 'console.view'

const staleTime = 30_000

/** The views that were saved of a list, and how it looks to the member without any. */
export const viewsOf = (resource: ListName) =>
  queryOptions({
    queryKey: ['console', 'views', resource],
    queryFn: async ({ signal }) =>
      (await staffViews({ query: { resource }, signal, throwOnError: true })).data,
    staleTime,
  })

/** The same in a component. Nothing is read where the member may not; `may` is whether they may. */
export function useViews(resource: ListName) {
  const may = useMay()(VIEWS_PERMISSION)
  const { data } = useQuery({ ...viewsOf(resource), enabled: may })
  return { may, data }
}

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
