import { useMediaQuery } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/api/gen/types.gen'
import classes from './node-list.module.css'
import { NodeRow } from './node-row'

const ROW_PX = 60
const CARD_PX = 96
const columns = ['name', 'state', 'load', 'rate', 'protocol', 'star'] as const

/** Any number of nodes: only the rows in sight are in the page. A table that becomes cards on narrow screens. */
export function NodeList(props: {
  nodes: readonly NodeInfo[]
  stars: ReadonlySet<number>
  onToggle: (id: number) => void
}) {
  const { t } = useTranslation('node')
  const isNarrow = useMediaQuery('(max-width: 59.9375em)', undefined, {
    getInitialValueInEffect: false,
  })
  const height = isNarrow ? CARD_PX : ROW_PX
  const body = useRef<HTMLDivElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => setOffset(body.current?.offsetTop ?? 0), [])
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by React's compiler
  const virtual = useWindowVirtualizer<HTMLDivElement>({
    count: props.nodes.length,
    estimateSize: () => height,
    measureElement: (row) => Math.max(height, row.offsetHeight),
    overscan: 8,
    scrollMargin: offset,
    getItemKey: (index) => props.nodes[index]?.node_id ?? index,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, height])

  return (
    <div role="table" aria-label={t('title')} aria-rowcount={props.nodes.length + 1}>
      <Head />
      <div
        ref={body}
        role="rowgroup"
        className={classes.body}
        style={{ height: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const node = props.nodes[index]
          return (
            node && (
              <NodeRow
                key={key}
                node={node}
                index={index}
                top={start - offset}
                height={height}
                measure={virtual.measureElement}
                isStarred={props.stars.has(node.node_id)}
                onToggle={props.onToggle}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

function Head() {
  const { t } = useTranslation('node')
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} className={classes.head}>
        {columns.map((column) => (
          <span
            key={column}
            role="columnheader"
            className={column === 'star' ? classes.last : undefined}
          >
            {t(`column.${column}`)}
          </span>
        ))}
      </div>
    </div>
  )
}
