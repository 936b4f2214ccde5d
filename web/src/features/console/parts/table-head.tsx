import { MoveDown, MoveUp } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { areFixed, type Widths, widthOf } from './column-widths'
import type { useListSearch } from './list-search'
import type { Column } from './resource'
import classes from './resource-table.module.css'

const ColumnEdge = lazyPart(() => import('./column-edge'), 'ColumnEdge')

/** How wide columns are, where the member may change that. */
export type Sizing = {
  widths: Widths
  resize: (key: string, px: number | undefined) => void
}

type HeadProps<T> = {
  columns: readonly Column<T>[]
  /** Whether rows have something at their end. */
  hasActions: boolean
  sizing?: Sizing | undefined
  search: Record<string, string>
  onChange: ReturnType<typeof useListSearch>['change']
}

/** The titles of the columns; those that the list can be sorted by are pressed for that. */
export function Head<T>(props: HeadProps<T>) {
  const { t } = useTranslation('console/parts')
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {props.columns.map((column, index) => (
          <HeadCell key={column.key} {...props} column={column} index={index} />
        ))}
        {props.hasActions && (
          <th role="columnheader" scope="col" className={classes.menu}>
            <span className={classes.hidden}>{t('table.actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

function HeadCell<T>(props: HeadProps<T> & { column: Column<T>; index: number }) {
  const { column, columns, index, sizing, onChange } = props
  const { key, title, align, sort } = column
  const sorted = props.search.sort
  const isDown = sort !== undefined && sorted === `-${sort}`
  const isUp = sort !== undefined && sorted === sort
  const Icon = isUp ? MoveUp : MoveDown
  return (
    <th
      role="columnheader"
      scope="col"
      data-align={align}
      // The edge of a column lies above the head of the next one.
      style={{ width: widthOf(column), zIndex: columns.length - index + 1 }}
      // Not with the words of its edge.
      aria-label={sizing && title}
      aria-sort={isDown ? 'descending' : isUp ? 'ascending' : undefined}
    >
      {sort ? (
        <button
          type="button"
          className={classes.sort}
          data-on={isUp || isDown}
          onClick={() => onChange({ sort: isDown ? sort : isUp ? undefined : `-${sort}` })}
        >
          <span className={classes.words}>{title}</span>
          <Icon size={14} strokeWidth={1.75} aria-hidden="true" />
        </button>
      ) : (
        <span className={classes.words}>{title}</span>
      )}
      {sizing && (
        <Suspense>
          <ColumnEdge
            column={key}
            title={title}
            px={sizing.widths[key]}
            isOnlyFlexible={areFixed(columns.toSpliced(index, 1), sizing.widths)}
            onResize={sizing.resize}
          />
        </Suspense>
      )}
    </th>
  )
}
