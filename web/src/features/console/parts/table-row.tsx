import { Link } from '@tanstack/react-router'
import { PanelRight } from 'lucide-react'
import { memo, type PointerEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Column, RowLink } from './resource'
import classes from './resource-table.module.css'
import { titleOf } from './use-look'

/** Stands for the rows that are out of sight. */
export const Space = ({ height }: { height: number }) =>
  height > 0 ? <tr aria-hidden="true" className={classes.space} style={{ height }} /> : null

/** Not what only screen readers read, which is a pixel wide. */
const isCut = ({ scrollWidth, clientWidth }: Element) =>
  clientWidth > 1 && scrollWidth > clientWidth

/** Shows all that a cell says, where it is too narrow for it, to the pointer that rests on it. */
function titleCut({ currentTarget: row, target, clientX }: PointerEvent<HTMLTableRowElement>) {
  const pointed = (target as Element).closest('td')
  if (!pointed) return
  // The row's link lies over all of its cells.
  const cell =
    [...row.cells].find((one) => {
      const { left, right } = one.getBoundingClientRect()
      return left <= clientX && clientX < right
    }) ?? pointed
  // Some cut their text themselves, such as that link.
  if ([cell, ...cell.querySelectorAll('*')].some(isCut)) pointed.title = cell.textContent
  else pointed.removeAttribute('title')
}

type RowProps<T> = {
  columns: readonly Column<T>[]
  link: ((row: T) => RowLink) | undefined
  renderActions: ((row: T) => ReactNode) | undefined
  row: T
  index: number
  onPeek: (row: T) => void
  measure: (row: HTMLTableRowElement | null) => void
}

/** A row: its title is its link, the whole of it on a phone and for the pointer. */
export const Row = memo(function Row<T>(props: RowProps<T>) {
  const { t } = useTranslation('console/parts')
  const { row, index, columns, link, renderActions, measure } = props
  const titled = titleOf(columns)
  return (
    <tr
      ref={measure}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      tabIndex={-1}
      className={classes.row}
      onPointerMove={titleCut}
    >
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-align={column.align}
          data-place={column.place ?? 'none'}
          data-header={column.title}
        >
          {column === titled ? (
            <span className={classes.title}>
              {link ? (
                <Link {...link(row)} data-row-link className={classes.link}>
                  {column.cell(row)}
                </Link>
              ) : (
                <span className={classes.words}>{column.cell(row)}</span>
              )}
              {/* The keyboard has the space bar for it, so that a row stays one stop of the tab key. */}
              <button
                type="button"
                tabIndex={-1}
                className={classes.peek}
                aria-label={t('peek.show')}
                onClick={() => props.onPeek(row)}
              >
                <PanelRight size={14} strokeWidth={1.75} aria-hidden="true" />
              </button>
            </span>
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
