import { useInfiniteQuery } from '@tanstack/react-query'
import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { partsOf, type Resource } from './resource'

const ROW_PX = 44
const DENSE_ROW_PX = 32
const OVERSCAN = 6
/** The next part is asked for when so much of the rows was seen. */
const NEXT_AT = 0.6

/** The rows of a list as far as they were asked for; the next part comes before its place is in sight. */
export function useRows<T>(resource: Resource<T, string>, search: Record<string, string>) {
  const query = useInfiniteQuery({
    ...partsOf(resource, search),
    // Another filter keeps the rows until its own are there.
    placeholderData: (before) => before,
  })
  const rows = useMemo(() => query.data?.pages.flatMap((part) => part.rows) ?? [], [query.data])
  return { query, rows }
}

/**
 * Which rows are in the page: those in sight of the window, or of the element that scrolls, and a few around them. Each is
 * measured once it is there.
 */
export function useRowsInSight(
  count: number,
  scroller: RefObject<HTMLElement | null> | undefined,
  isDense: boolean,
  onNearEnd: () => void,
) {
  const rowPx = isDense ? DENSE_ROW_PX : ROW_PX
  const body = useRef<HTMLTableSectionElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0
    const pane = scroller?.current
    setOffset(pane ? top - pane.getBoundingClientRect().top + pane.scrollTop : top + window.scrollY)
  }, [count, scroller])
  const shared = {
    count,
    estimateSize: () => rowPx,
    measureElement: (row: HTMLTableRowElement) => Math.max(rowPx, row.offsetHeight),
    overscan: OVERSCAN,
    scrollMargin: offset,
  }
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by React's compiler
  const ofWindow = useWindowVirtualizer<HTMLTableRowElement>({
    ...shared,
    enabled: !scroller,
  })
  const ofPane = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    ...shared,
    enabled: scroller !== undefined,
    getScrollElement: () => scroller?.current ?? null,
  })
  const virtual = scroller ? ofPane : ofWindow
  // Rows that were measured at another height are measured again.
  useLayoutEffect(() => virtual.measure(), [virtual, rowPx])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const isNearEnd = count > 0 && last + 1 >= count * NEXT_AT
  const near = useRef(onNearEnd)
  useEffect(() => {
    near.current = onNearEnd
  })
  useEffect(() => {
    if (isNearEnd) near.current()
  }, [isNearEnd, last, count])
  const before = (items[0]?.start ?? offset) - offset
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset)
  return { body, items, before, after, virtual }
}
