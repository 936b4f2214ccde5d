import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffViewLayoutSet } from '@/lib/api/gen/staff/sdk.gen'
import type { ViewItem, ViewLook } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { toast } from '@/ui/toast'
import { ofShown, type Widths, widthsOf, widthText } from './column-widths'
import { useListSearch } from './list-search'
import type { Column } from './resource'
import { type ListName, useViews, viewsOf } from './views'

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

/** What may be changed of how a list looks. */
type Shape<T> = { shown: readonly Column<T>[]; isDense: boolean; widths: Widths }

export type Look<T> = {
  view: ViewItem | undefined
  columns: readonly Column<T>[]
  shown: Column<T>[]
  widths: Widths
  isDense: boolean
  /** The same as views store it. */
  stored: ViewLook
  change: (part: Partial<Shape<T>>) => void
  /** Stores what was changed, once the member is done; within a view that is for its own buttons. */
  keep: () => void
  /** Makes a column wider or narrower, without pixels as the list has it, and stores that. */
  resize: (key: string, px: number | undefined) => void
}

/** What views keep of how a list looks. */
export type ViewedLook = Pick<Look<never>, 'view' | 'stored'>

/** As views store it: without widths where there are none. */
const lookOf = (columns: string[], isDense: boolean, widths: Widths): ViewLook => ({
  columns,
  is_dense: isDense,
  ...(Object.keys(widths).length > 0 && { widths }),
})

/**
 * How a list looks: as the address says, else as its view says, else as the member last had it. A change within a view goes
 * to the address until it is saved; any other is kept for the member, or where the member may not, for as long as the page is
 * open.
 */
export function useLook<T>(resource: ListName, columns: readonly Column<T>[]): Look<T> {
  const { look: parts, change: changeAddress } = useListSearch()
  const { may, data } = useViews(resource)
  const [draft, setDraft] = useState<ViewLook>()
  const keepLook = useKeepLook(resource)
  const view = data?.views.find(({ id }) => String(id) === parts.view)
  const saved = view ?? data?.layout ?? usual
  const found = (!view && draft) || {
    columns: parts.columns?.split(',') ?? saved.columns,
    is_dense: parts.rows ? parts.rows === 'dense' : saved.is_dense,
    widths: parts.widths ? widthsOf(parts.widths) : (saved.widths ?? {}),
  }
  const shown = shownOf(columns, found.columns)
  const isDense = found.is_dense
  const widths = ofShown(found.widths ?? {}, shown)
  const next = (part: Partial<Shape<T>>) => {
    const all = { shown, isDense, widths, ...part }
    return lookOf(keysOf(columns, all.shown), all.isDense, ofShown(all.widths, all.shown))
  }
  const leaveAddress = () => {
    if (parts.columns || parts.widths || parts.rows)
      changeAddress({ columns: undefined, widths: undefined, rows: undefined }, { replace: true })
  }
  const change = (part: Partial<Shape<T>>) => {
    const look = next(part)
    if (view) return changeAddress(partsOf(look, view, part.shown ?? shown), { replace: true })
    setDraft(look)
    leaveAddress()
  }
  return {
    view,
    columns,
    shown,
    widths,
    isDense,
    stored: lookOf(found.columns, isDense, widths),
    change,
    keep: () => {
      if (!draft || !may) return
      setDraft(undefined)
      keepLook(draft)
    },
    resize: (key, px) => {
      const { [key]: _, ...others } = widths
      const resized = { widths: px === undefined ? others : { ...others, [key]: px } }
      if (view || !may) return change(resized)
      setDraft(undefined)
      keepLook(next(resized))
      leaveAddress()
    },
  }
}

/** The parts of the address that make of a view's look another one. */
function partsOf<T>(look: ViewLook, view: ViewItem, shown: readonly Column<T>[]) {
  // A view with columns of its own is left for the usual ones by naming these.
  const named = look.columns.length > 0 ? look.columns : shown.map(({ key }) => key)
  const widths = widthText(look.widths ?? {})
  return {
    columns: look.columns.join() === view.columns.join() ? undefined : named.join(),
    widths: widths === widthText(view.widths ?? {}) ? undefined : widths,
    rows: look.is_dense === view.is_dense ? undefined : look.is_dense ? 'dense' : 'roomy',
  }
}

/** Keeps for the member how a list looks without a view. */
function useKeepLook(resource: ListName) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { queryKey } = viewsOf(resource)
  return (look: ViewLook) => {
    client.setQueryData(queryKey, (now) => now && { ...now, layout: look })
    staffViewLayoutSet({ body: { resource, ...look }, throwOnError: true }).catch(
      (error: unknown) => toast('error', problemText(error, t)),
    )
  }
}
