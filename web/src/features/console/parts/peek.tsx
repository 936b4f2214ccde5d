import { CloseButton } from '@mantine/core'
import { type ReactNode, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/ui/button-link'
import classes from './peek.module.css'
import type { Column, Resource, RowLink } from './resource'

/**
 * What is known of a row, beside the list, which stays in use: `j` and `k` move on, Escape closes. It is no dialog, since
 * the focus stays in the row.
 */
export function Peek(props: {
  title: ReactNode
  link: RowLink | undefined
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  return (
    <section aria-label={t('peek.title')} className={classes.peek}>
      <header className={classes.header}>
        <strong className={classes.title}>{props.title}</strong>
        <CloseButton aria-label={common('close')} onClick={props.onClose} />
      </header>
      <div aria-live="polite">{props.children}</div>
      {props.link && (
        <ButtonLink {...(props.link as { to: '/admin' })} variant="default" size="sm">
          {t('peek.open')}
        </ButtonLink>
      )}
    </section>
  )
}

/** Every column of a row, those that the list does not show as well. */
export function AllOf<T>({ row, columns }: { row: T; columns: readonly Column<T>[] }) {
  return (
    <dl className={classes.facts}>
      {columns.map((column) => (
        <div key={column.key} className={classes.fact}>
          <dt>{column.title}</dt>
          <dd>{column.cell(row)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The row that is looked at beside the list, as it is now. */
export function usePeek<T>(rows: readonly T[], { rowKey }: Resource<T, string>) {
  const [key, setKey] = useState<string | number>()
  const index = key === undefined ? -1 : rows.findIndex((row) => rowKey(row) === key)
  const peek = useCallback(
    (row: T | undefined) => setKey(row === undefined ? undefined : rowKey(row)),
    [rowKey],
  )
  return { peeked: rows[index], index, peek }
}
