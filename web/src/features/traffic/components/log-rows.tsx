import { useMediaQuery } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TrafficRecord } from '@/lib/api/gen/types.gen'
import { useServerNow } from '@/lib/now'
import { Bytes } from '@/ui/bytes'
import { namesOf } from '../names'
import classes from '../traffic.module.css'

const ROW_PX = 44
const CARD_PX = 84
const HOUR_MS = 3_600_000

const columns = ['hour', 'node', 'down', 'up', 'rate', 'billed'] as const

/** Any number of rows: only those in sight are in the page, and others are loaded as the end comes near. */
export function LogRows(props: {
  rows: readonly TrafficRecord[]
  total: number
  zone: string
  onEnd: () => void
}) {
  const { t, i18n } = useTranslation('traffic')
  const { rows, zone, onEnd } = props
  const { body, offset, height, virtual } = useRowsInSight(rows.length)
  const inSight = virtual.getVirtualItems()
  const isAtEnd = (inSight.at(-1)?.index ?? 0) >= rows.length - 1 && rows.length < props.total
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, onEnd])
  const hour = Math.floor(useServerNow() / HOUR_MS) * HOUR_MS
  const { point } = namesOf('hour', i18n.language, zone)

  return (
    <div
      role="table"
      aria-label={t('detail.title')}
      aria-rowcount={props.total + 1}
      className={classes.rows}
    >
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={classes.rowsHead}>
          {columns.map((name) => (
            <span key={name} role="columnheader">
              {t(name)}
            </span>
          ))}
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className={classes.rowsBody}
        style={{ height: virtual.getTotalSize() }}
      >
        {inSight.map(({ index, start }) => {
          const record = rows[index]
          return (
            record && (
              <Row
                key={index}
                record={record}
                index={index}
                top={start - offset}
                height={height}
                when={point(Date.parse(record.created_at))}
                isOpen={Date.parse(record.created_at) >= hour}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

/** Which rows are in the window, and where. */
function useRowsInSight(count: number) {
  const height = useMediaQuery('(max-width: 37.4375em)', undefined, {
    getInitialValueInEffect: false,
  })
    ? CARD_PX
    : ROW_PX
  const body = useRef<HTMLDivElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    setOffset((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
  }, [])
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by React's compiler
  const virtual = useWindowVirtualizer<HTMLDivElement>({
    count,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: offset,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, height])
  return { body, offset, height, virtual }
}

const Row = memo(function Row(props: {
  record: TrafficRecord
  index: number
  top: number
  height: number
  when: string
  isOpen: boolean
}) {
  const { t } = useTranslation('traffic')
  const { record } = props
  return (
    <div
      role="row"
      aria-rowindex={props.index + 2}
      className={classes.row}
      style={{ height: props.height, transform: `translateY(${props.top}px)` }}
    >
      <span role="cell" className={classes.when}>
        {props.when}
        {props.isOpen && <span className={classes.soFar}> {t('soFar')}</span>}
      </span>
      <span role="cell" className={classes.node}>
        {record.node_name ?? t('nodeGone')}
      </span>
      <span role="cell" data-short={t('shortDown')}>
        <Bytes bytes={record.ss_rx_size} />
      </span>
      <span role="cell" data-short={t('shortUp')}>
        <Bytes bytes={record.ss_tx_size} />
      </span>
      <span role="cell">×{record.node_rate}</span>
      <span role="cell" className={classes.billed}>
        <Bytes bytes={record.effective_traffic} />
      </span>
    </div>
  )
})
