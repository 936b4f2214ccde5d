import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { ArrowUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { sorts } from '../model'
import { useFilter } from '../use-filter'
import classes from './node-list.module.css'

const columns = ['name', 'state', 'load', 'rate', 'protocol', 'star'] as const

/** Most columns sort the list, in the direction that helps; another press and it is in the server's order again. */
export function ListHead({ canSort }: { canSort: boolean }) {
  const { filter } = useFilter()
  return (
    <div role="rowgroup" className={classes.sticky}>
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
