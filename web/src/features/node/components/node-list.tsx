import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NodeInfo } from '@/api/gen/types.gen'
import { sorts } from '../model'
import { useFilter, useIsNarrow } from '../use-filter'
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
  const isNarrow = useIsNarrow()
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
      <Head canSort={!isNarrow} />
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

/** Most columns sort the list, in the direction that helps; another press and it is in the server's order again. */
function Head({ canSort }: { canSort: boolean }) {
  const { filter } = useFilter()
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} className={classes.head}>
        {columns.map((column) => {
          const sort = sorts.find((one) => one === column)
          return (
            <span
              key={column}
              role="columnheader"
              aria-sort={sort && filter.sort === sort ? 'ascending' : undefined}
            >
              {canSort && sort ? <SortButton sort={sort} /> : <Title column={column} />}
            </span>
          )
        })}
      </div>
    </div>
  )
}

function Title({ column }: { column: (typeof columns)[number] }) {
  const { t } = useTranslation('node')
  const title = t(`column.${column}`)
  return column === 'star' ? <VisuallyHidden>{title}</VisuallyHidden> : title
}

function SortButton({ sort }: { sort: (typeof sorts)[number] }) {
  const { t } = useTranslation('node')
  const { filter, change } = useFilter()
  const isOn = filter.sort === sort
  return (
    <UnstyledButton
      className={classes.sort}
      data-on={isOn}
      title={t(`sort.${sort}`)}
      onClick={() => change({ sort: isOn ? undefined : sort })}
    >
      {t(`column.${sort}`)}
      <ArrowUp size={14} strokeWidth={1.75} aria-hidden="true" className={classes.arrow} />
    </UnstyledButton>
  )
}
