import { MoveDown, MoveUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { useListSearch } from './list-search'
import type { Column } from './resource'
import classes from './resource-table.module.css'

/** The titles of the columns; those that the list can be sorted by are pressed for that. */
export function Head<T>(props: {
  columns: readonly Column<T>[]
  /** Whether rows have something at their end. */
  hasActions: boolean
  search: Record<string, string>
  onChange: ReturnType<typeof useListSearch>['change']
}) {
  const { columns, hasActions, search, onChange } = props
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
                  onClick={() =>
                    onChange({
                      sort: isDown ? sort : isUp ? undefined : `-${sort}`,
                    })
                  }
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
        {hasActions && (
          <th role="columnheader" scope="col" className={classes.menu}>
            <span className={classes.hidden}>{t('table.actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}
