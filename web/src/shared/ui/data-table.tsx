import type { Key, ReactNode } from 'react'
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
}) {
  // The roles are said aloud because a table that is not displayed as one loses them.
  return (
    <table role="table" aria-label={props.caption} className={classes.table}>
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
        {props.rows.map((row) => (
          <tr key={props.rowKey(row)} role="row">
            {props.columns.map(({ key, header, cell, align, isTitle }) => (
              <td
                key={key}
                role="cell"
                data-align={align}
                data-title={isTitle}
                data-header={isTitle ? undefined : header}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
