import { Fragment, type Key, type ReactNode } from 'react'
import classes from './data-table.module.css'

export type Column<T> = {
  key: string
  header: string
  cell: (row: T) => ReactNode
  /** Numbers stand at the end, so that their digits line up. */
  align?: 'end'
  /** Stands on top of the row's card on a phone, without its header. */
  isTitle?: boolean
}

/** A table that becomes cards under 600 px: the same rows and cells, laid out by CSS. */
export function DataTable<T>(props: {
  /** Says what the table lists, to screen readers. */
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowKey: (row: T) => Key
  /** What is unfolded under a row, as wide as the table; nothing where it is folded. */
  renderDetail?: (row: T) => ReactNode
  /** For four columns whose cells need no header: on a phone two lines of two, in one card. */
  isCompact?: boolean
}) {
  // The roles are said aloud because a table that is not displayed as one loses them.
  return (
    <table
      role="table"
      aria-label={props.caption}
      className={classes.table}
      data-compact={props.isCompact}
    >
      <thead role="rowgroup">
        <tr role="row">
          {props.columns.map(({ key, header, align }) => (
            <th key={key} role="columnheader" scope="col" data-align={align}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {props.rows.map((row) => {
          const detail = props.renderDetail?.(row)
          return (
            <Fragment key={props.rowKey(row)}>
              <Row columns={props.columns} row={row} />
              {detail && (
                <tr role="row" className={classes.detail}>
                  <td role="cell" colSpan={props.columns.length}>
                    {detail}
                  </td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}

function Row<T>(props: { columns: readonly Column<T>[]; row: T }) {
  return (
    <tr role="row">
      {props.columns.map(({ key, header, cell, align, isTitle }) => (
        <td
          key={key}
          role="cell"
          data-align={align}
          data-title={isTitle}
          data-header={isTitle ? undefined : header}
        >
          {cell(props.row)}
        </td>
      ))}
    </tr>
  )
}
