import { Button, Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MoveDown, MoveUp, SearchX } from 'lucide-react'
import { memo, type ReactNode, type RefObject, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { useListSearch } from './list-search'
import { type Column, countOf, type Resource, type RowLink } from './resource'
import classes from './resource-table.module.css'
import { useRowKeys } from './use-row-keys'
import { useRows, useRowsInSight } from './use-rows'

type Props<T> = {
  /** Says what the table lists, to screen readers. */
  caption: string
  resource: Resource<T>
  columns: readonly Column<T>[]
  /** Where the row leads; its title is the link. */
  link?: (row: T) => RowLink
  /** At the row's end: its menu. */
  renderActions?: (row: T) => ReactNode
  /** What the list scrolls in; absent: the window. */
  scroller?: RefObject<HTMLElement | null>
  /** Keys that do something with the row that has the focus. */
  keys?: Record<string, (row: T) => void>
  /** Shown where the list is empty without any filter. */
  empty: { text: string; action?: ReactNode }
}

/**
 * A list of the API: sorted and narrowed by the address, read part by part while one scrolls, with only the rows in sight in
 * the page. On a phone rows are cards.
 */
export function ResourceTable<T>(props: Props<T>) {
  const { search, change } = useListSearch()
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
const byIndex = <T,>(rows: readonly T[], keys: Record<string, (row: T) => void>) =>
  Object.fromEntries(
    Object.entries(keys).map(([key, act]) => [
      key,
      (index: number) => {
        const row = rows[index]
        if (row !== undefined) act(row)
      },
    ]),
  )

/** For screen readers: how many rows there are with the head; -1 where nobody knows. */
const rowCount = (shown: number, isWhole: boolean, total: Total | undefined) =>
  isWhole ? shown + 1 : total && !total.isAtLeast ? total.count + 1 : -1

function Rows<T>(props: RowsProps<T>) {
  const { rows, query, columns, resource } = props
  const table = useRef<HTMLTableElement>(null)
  const { data: total } = useQuery(countOf(resource, props.search))
  const { body, items, before, after, virtual } = useRowsInSight(
    rows.length,
    props.scroller,
    () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
  )
  useRowKeys(table, {
    count: rows.length,
    show: (index) => virtual.scrollToIndex(index),
    keys: byIndex(rows, props.keys ?? {}),
  })
  return (
    <div className={classes.wrap}>
      <Count
        shown={rows.length}
        total={total ?? undefined}
        isWhole={!query.hasNextPage}
        isStale={query.isPlaceholderData}
      />
      <table
        ref={table}
        role="table"
        aria-label={props.caption}
        aria-rowcount={rowCount(rows.length, !query.hasNextPage, total ?? undefined)}
        data-stale={query.isPlaceholderData}
        className={classes.table}
      >
        <Head {...props} />
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
                  measure={virtual.measureElement}
                />
              )
            )
          })}
          <Space height={after} />
        </tbody>
      </table>
    </div>
  )
}

/** How many there are, said aloud when a filter changes it. */
function Count(props: {
  shown: number
  total: Total | undefined
  isWhole: boolean
  isStale: boolean
}) {
  const { t, i18n } = useTranslation('console/parts')
  const { shown, total, isWhole } = props
  const number = (count: number) => new Intl.NumberFormat(i18n.language).format(count)
  const isAtLeast = !isWhole && (total?.isAtLeast ?? total === undefined)
  const count = isWhole ? shown : (total?.count ?? shown)
  return (
    <p role="status" className={classes.count}>
      {props.isStale
        ? t('table.loading')
        : t(isAtLeast ? 'table.atLeast' : 'table.count', { count, shown: number(count) })}
    </p>
  )
}

function Head<T>({ columns, renderActions, search, onChange }: RowsProps<T>) {
  const { t } = useTranslation('console/parts')
  const sorted = search.sort
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map(({ key, title, align, width, sort }) => {
          const isDown = sort !== undefined && sorted === `-${sort}`
          const isUp = sort !== undefined && sorted === sort
          const Icon = isUp ? MoveUp : MoveDown
          return (
            <th
              key={key}
              role="columnheader"
              scope="col"
              data-align={align}
              style={{ width }}
              aria-sort={isDown ? 'descending' : isUp ? 'ascending' : undefined}
            >
              {sort ? (
                <button
                  type="button"
                  className={classes.sort}
                  data-on={isUp || isDown}
                  onClick={() => onChange({ sort: isDown ? sort : isUp ? undefined : `-${sort}` })}
                >
                  {title}
                  <Icon size={14} strokeWidth={1.75} aria-hidden="true" />
                </button>
              ) : (
                title
              )}
            </th>
          )
        })}
        {renderActions && (
          <th role="columnheader" scope="col" className={classes.menu}>
            <span className={classes.hidden}>{t('table.actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

const Space = ({ height }: { height: number }) =>
  height > 0 ? <tr aria-hidden="true" className={classes.space} style={{ height }} /> : null

type RowProps<T> = Pick<Props<T>, 'columns' | 'link' | 'renderActions'> & {
  row: T
  index: number
  measure: (row: HTMLTableRowElement | null) => void
}

const Row = memo(function Row<T>(props: RowProps<T>) {
  const { row, index, columns, link, renderActions, measure } = props
  const titled = columns.find(({ place }) => place === 'title') ?? columns[0]
  return (
    <tr
      ref={measure}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      className={classes.row}
    >
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-align={column.align}
          data-place={column.place ?? 'none'}
          data-header={column.title}
        >
          {link && column === titled ? (
            <Link {...link(row)} className={classes.link}>
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {renderActions && (
        <td role="cell" className={classes.menu}>
          {renderActions(row)}
        </td>
      )}
    </tr>
  )
}) as <T>(props: RowProps<T>) => ReactNode
