import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffViewLayoutSet } from '@/lib/api/gen/staff/sdk.gen'
import type { ViewItem, ViewLook } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import { useListSearch } from './list-search'
import type { Column } from './resource'
import { type ListName, viewsOf } from './views'

const usual: ViewLook = { columns: [], is_dense: false }

/** The column that is the row's link, and therefore always there and first. */
export const titleOf = <T>(columns: readonly Column<T>[]): Column<T> | undefined =>
  columns.find(({ place }) => place === 'title') ?? columns[0]

/** The columns with these keys in their order; without keys those that are shown unasked. */
export function shownOf<T>(columns: readonly Column<T>[], keys: readonly string[]): Column<T>[] {
  if (keys.length === 0) return columns.filter(({ isExtra }) => !isExtra)
  const title = titleOf(columns)
  const chosen = keys.flatMap((key) => columns.find((column) => column.key === key) ?? [])
  return [...(title ? [title] : []), ...chosen.filter((column) => column !== title)]
}

/** The keys of columns, none where they are those that are shown unasked. */
function keysOf<T>(columns: readonly Column<T>[], shown: readonly Column<T>[]): string[] {
  const keys = shown.map(({ key }) => key)
  const unasked = shownOf(columns, []).map(({ key }) => key)
  return keys.join() === unasked.join() ? [] : keys
}

export type Look<T> = {
  view: ViewItem | undefined
  columns: readonly Column<T>[]
  shown: Column<T>[]
  isDense: boolean
  /** The same as views store it. */
  stored: ViewLook
  change: (shown: readonly Column<T>[], isDense: boolean) => void
  /** Stores what was changed, once the member is done; within a view that is for its own buttons. */
  keep: () => void
}

/** What views keep of how a list looks. */
export type ViewedLook = Pick<Look<never>, 'view' | 'stored'>

/**
 * How a list looks: as the address says, else as its view says, else as the member last had it. A change within a view goes
 * to the address until it is saved; any other is kept for the member.
 */
export function useLook<T>(resource: ListName, columns: readonly Column<T>[]): Look<T> {
  const { look: parts, change } = useListSearch()
  const { t } = useTranslation()
  const client = useQueryClient()
  const query = viewsOf(resource)
  const { data } = useQuery(query)
  const [draft, setDraft] = useState<ViewLook>()
  const view = data?.views.find(({ id }) => String(id) === parts.view)
  const saved = view ?? data?.layout ?? usual
  const stored = (!view && draft) || {
    columns: parts.columns?.split(',') ?? saved.columns,
    is_dense: parts.rows ? parts.rows === 'dense' : saved.is_dense,
  }
  return {
    view,
    columns,
    shown: shownOf(columns, stored.columns),
    isDense: stored.is_dense,
    stored,
    change: (shown, isDense) => {
      const keys = keysOf(columns, shown)
      if (!view) {
        setDraft({ columns: keys, is_dense: isDense })
        if (parts.columns || parts.rows)
          change({ columns: undefined, rows: undefined }, { replace: true })
        return
      }
      const isSame = keys.join() === view.columns.join()
      // A view with columns of its own is left for the usual ones by naming these.
      const named = keys.length > 0 ? keys : shown.map(({ key }) => key)
      change(
        {
          columns: isSame ? undefined : named.join(),
          rows: isDense === view.is_dense ? undefined : isDense ? 'dense' : 'roomy',
        },
        { replace: true },
      )
    },
    keep: () => {
      if (!draft) return
      client.setQueryData(query.queryKey, (now) => now && { ...now, layout: draft })
      setDraft(undefined)
      staffViewLayoutSet({
        body: { resource, ...draft },
        throwOnError: true,
      }).catch((error: unknown) => toast('error', problemText(error, t)))
    },
  }
}
