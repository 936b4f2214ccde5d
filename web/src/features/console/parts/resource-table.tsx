import { Button, Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { areFixed, widthStyle } from './column-widths'
import { useListSearch } from './list-search'
import { AllOf, Peek, usePeek } from './peek'
import { type Column, countOf, narrowingOf, type Resource, type RowLink } from './resource'
import classes from './resource-table.module.css'
import { Head, type Sizing } from './table-head'
import { Row, Space } from './table-row'
import { titleOf } from './use-look'
import { useNewer } from './use-newer'
import { useOverflow } from './use-overflow'
import { useRowKeys } from './use-row-keys'
import { useRows, useRowsInSight } from './use-rows'

type Props<T> = {
  /** Says what the table lists, to screen readers. */
  caption: string
  resource: Resource<T, string>
  columns: readonly Column<T>[]
  /** Those that the list could show as well, for the peek. */
  allColumns?: readonly Column<T>[]
  /** Rows are 32 pixels high instead of 44. */
  isDense?: boolean
  /** Where the member may change how wide columns are. */
  sizing?: Sizing
  /** What is shown of a row beside the list; absent: all of its columns. */
  peek?: (row: T) => ReactNode
  /** Where the row leads; its title is the link. */
  link?: (row: T) => RowLink
  /** At the row's end: its menu. */
  renderActions?: (row: T) => ReactNode
  /** What the list scrolls in; absent: the window. */
  scroller?: RefObject<HTMLElement | null>
  /** Keys that do something with the row that has the focus. */
  keys?: Record<string, (row: T, rows: readonly T[]) => void>
  /** Shown where the list is empty without any filter. */
  empty: { text: string; action?: ReactNode }
}

/**
 * A list of the API: sorted and narrowed by the address, read part by part while one scrolls, with only the rows in sight in
 * the page. On a phone rows are cards.
 */
export function ResourceTable<T>(props: Props<T>) {
  const { search: address, change } = useListSearch()
  const search = narrowingOf(props.resource, address)
  const { query, rows } = useRows(props.resource, search)
  return (
    <Loaded query={query} skeleton={<Skeleton height={440} radius="lg" />} hasCards>
      {() =>
        rows.length === 0 ? (
          <Nothing
            empty={props.empty}
            isFiltered={Object.keys(search).some((key) => key !== 'sort')}
            onClear={() =>
              change(Object.fromEntries(Object.keys(search).map((key) => [key, undefined])))
            }
          />
        ) : (
          <Rows {...props} rows={rows} query={query} search={search} onChange={change} />
        )
      }
    </Loaded>
  )
}

function Nothing(props: {
  empty: { text: string; action?: ReactNode }
  isFiltered: boolean
  onClear: () => void
}) {
  const { t } = useTranslation('console/parts')
  return (
    <Card>
      {props.isFiltered ? (
        <Empty
          icon={SearchX}
          text={t('table.noMatch')}
          action={
            <Button variant="default" size="sm" onClick={props.onClear}>
              {t('filter.clear')}
            </Button>
          }
        />
      ) : (
        <Empty icon={SearchX} {...props.empty} />
      )}
    </Card>
  )
}

type Total = { count: number; isAtLeast?: boolean }

type RowsProps<T> = Props<T> & {
  rows: T[]
  query: ReturnType<typeof useRows<T>>['query']
  search: Record<string, string>
  onChange: ReturnType<typeof useListSearch>['change']
}

/** Keys that do something with a row, as keys that do it with its place. */
const byIndex = <T,>(
  rows: readonly T[],
  keys: Record<string, (row: T, rows: readonly T[]) => void>,
) =>
  Object.fromEntries(
    Object.entries(keys).map(([key, act]) => [
      key,
      (index: number) => {
        const row = rows[index]
        if (row !== undefined) act(row, rows)
      },
    ]),
  )

/** For screen readers: how many rows there are with the head; -1 where nobody knows. */
const rowCount = (shown: number, isWhole: boolean, total: Total | undefined) =>
  isWhole ? shown + 1 : total && !total.isAtLeast ? total.count + 1 : -1

function Rows<T>(props: RowsProps<T>) {
  const { rows, query, columns, resource } = props
  const { data: total } = useQuery(countOf(resource, props.search))
  const { peeked, peek, index: peekedAt } = usePeek(rows, resource)
  const newer = useNewer(resource, props.search, rows)
  const sides = useRef<HTMLDivElement>(null)
  const overflows = useOverflow(sides)
  const isSized = Object.keys(props.sizing?.widths ?? {}).length > 0
  return (
    <>
      <div className={classes.wrap}>
        <Count
          shown={rows.length}
          total={total ?? undefined}
          isWhole={!query.hasNextPage}
          isStale={query.isPlaceholderData}
          newer={newer}
          onRefresh={() => void query.refetch()}
        />
        <div
          ref={sides}
          className={classes.sides}
          data-scrolls={isSized || columns.some(({ isExtra }) => isExtra) || undefined}
          data-overflows={overflows || undefined}
          // It scrolls, so the keyboard must reach it.
          {...(overflows && { tabIndex: 0, role: 'group', 'aria-label': props.caption })}
        >
          <Table {...props} total={total ?? undefined} peekedAt={peekedAt} onPeek={peek} />
        </div>
      </div>
      {peeked !== undefined && (
        <Peek
          title={titleOf(columns)?.cell(peeked)}
          link={props.link?.(peeked)}
          onClose={() => peek(undefined)}
        >
          {props.peek ? (
            props.peek(peeked)
          ) : (
            <AllOf row={peeked} columns={props.allColumns ?? columns} />
          )}
        </Peek>
      )}
    </>
  )
}

type TableProps<T> = RowsProps<T> & {
  total: Total | undefined
  /** The row that is shown beside the list; -1: none. */
  peekedAt: number
  onPeek: (row: T | undefined) => void
}

function Table<T>(props: TableProps<T>) {
  const { rows, query, columns, resource } = props
  const table = useRef<HTMLTableElement>(null)
  const widths = props.sizing?.widths ?? {}
  const hasActions = props.renderActions !== undefined
  const { body, items, before, after, virtual } = useRowsInSight(
    rows.length,
    props.scroller,
    props.isDense ?? false,
    () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
  )
  useKeys(table, props, (index) => virtual.scrollToIndex(index))
  return (
    <table
      ref={table}
      role="table"
      style={widthStyle(columns, widths, hasActions)}
      data-fixed={(Object.keys(widths).length > 0 && areFixed(columns, widths)) || undefined}
      data-dense={props.isDense}
      aria-label={props.caption}
      aria-rowcount={rowCount(rows.length, !query.hasNextPage, props.total)}
      data-stale={query.isPlaceholderData}
      className={classes.table}
    >
      <Head {...props} hasActions={hasActions} />
      <tbody ref={body} role="rowgroup">
        <Space height={before} />
        {items.map(({ index }) => {
          const row = rows[index]
          return (
            row && (
              <Row
                key={resource.rowKey(row)}
                index={index}
                row={row}
                columns={columns}
                link={props.link}
                renderActions={props.renderActions}
                onPeek={props.onPeek}
                measure={virtual.measureElement}
              />
            )
          )
        })}
        <Space height={after} />
      </tbody>
    </table>
  )
}

function useKeys<T>(
  table: RefObject<HTMLTableElement | null>,
  { rows, keys, peekedAt, onPeek }: TableProps<T>,
  show: (index: number) => void,
) {
  useRowKeys(table, {
    count: rows.length,
    at: peekedAt,
    show,
    onMove: (index) => peekedAt >= 0 && onPeek(rows[index]),
    onClose: peekedAt < 0 ? undefined : () => onPeek(undefined),
    keys: {
      ...byIndex(rows, keys ?? {}),
      ' ': (index) => onPeek(index === peekedAt ? undefined : rows[index]),
    },
  })
}

/** How many there are, said aloud when a filter changes it. */
function Count(props: {
  shown: number
  total: Total | undefined
  isWhole: boolean
  isStale: boolean
  /** How many rows came since. */
  newer: number
  onRefresh: () => void
}) {
  const { t, i18n } = useTranslation('console/parts')
  const { shown, total, isWhole } = props
  const number = (count: number) => new Intl.NumberFormat(i18n.language).format(count)
  const isAtLeast = !isWhole && (total?.isAtLeast ?? total === undefined)
  const count = isWhole ? shown : (total?.count ?? shown)
  return (
    <div className={classes.top}>
      <p role="status" className={classes.count}>
        {props.isStale
          ? t('table.loading')
          : t(isAtLeast ? 'table.atLeast' : 'table.count', {
              count,
              shown: number(count),
            })}
      </p>
      {props.newer > 0 && (
        <Button size="compact-xs" variant="light" onClick={props.onRefresh}>
          {t('table.newer', { count: props.newer })}
        </Button>
      )}
    </div>
  )
}
