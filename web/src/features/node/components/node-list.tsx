import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/lib/api/gen/types.gen'
import type { Group } from '../model'
import { useIsNarrow } from '../use-filter'
import { ListHead } from './list-head'
import classes from './node-list.module.css'
import { NodeRow } from './node-row'
import { RegionRow } from './region-row'

const ROW_PX = 60
const CARD_PX = 96
const REGION_PX = 44

type Item =
  | { key: string; region: Group; isClosed: boolean; node?: undefined }
  | { key: number; node: NodeInfo; region?: undefined }

/**
 * Any number of nodes: only the rows in sight are in the page. A table that becomes cards on narrow screens. A group
 * without a code has no head.
 */
export function NodeList(props: {
  groups: readonly Group[]
  closed: ReadonlySet<string>
  onToggleRegion: (code: string) => void
  locked: ReadonlySet<number>
  favourites: ReadonlySet<number>
  onToggle: (id: number) => void
}) {
  const { t } = useTranslation('node')
  const isNarrow = useIsNarrow()
  const { groups, closed } = props
  const items = useMemo(() => groups.flatMap((group) => itemsOf(group, closed)), [groups, closed])
  const height = isNarrow ? CARD_PX : ROW_PX
  const { body, offset, virtual } = useRowsInSight(items, height)

  return (
    <div role="table" aria-label={t('title')} aria-rowcount={items.length + 1}>
      <ListHead canSort={!isNarrow} />
      <div
        ref={body}
        role="rowgroup"
        className={classes.body}
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]
          if (!item) return null
          const place = { index, top: start - offset, measure: virtual.measureElement }
          return item.region ? (
            <RegionRow
              key={key}
              {...place}
              group={item.region}
              isClosed={item.isClosed}
              onToggle={props.onToggleRegion}
            />
          ) : (
            <NodeRow
              key={key}
              {...place}
              height={height}
              node={item.node}
              isLocked={props.locked.has(item.node.node_id)}
              isStarred={props.favourites.has(item.node.node_id)}
              onToggle={props.onToggle}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Which rows are in the window, and where; `height` is that of a node's row. */
function useRowsInSight(items: readonly Item[], height: number) {
  const heightAt = (index: number) => (items[index]?.region ? REGION_PX : height)
  const body = useRef<HTMLDivElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by React's compiler
  const virtual = useWindowVirtualizer<HTMLDivElement>({
    count: items.length,
    estimateSize: heightAt,
    measureElement: (row) => Math.max(heightAt(Number(row.dataset.index)), row.offsetHeight),
    overscan: 8,
    scrollMargin: offset,
    getItemKey: (index) => items[index]?.key ?? index,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, height])
  return { body, offset, virtual }
}

function itemsOf(group: Group, closed: ReadonlySet<string>): Item[] {
  const isClosed = closed.has(group.code)
  const nodes = group.nodes.map((node) => ({ key: node.node_id, node }))
  if (!group.code) return nodes
  return [{ key: group.code, region: group, isClosed }, ...(isClosed ? [] : nodes)]
}
