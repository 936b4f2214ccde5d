import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { type Column, DataTable } from '@/ui/data-table'
import type { Field } from '../schema'
import classes from './reference.module.css'

/** The fields of a schema. Required fields are marked in requests only. */
export function Fields(props: { caption: string; fields: readonly Field[]; isAnswer?: boolean }) {
  const { t } = useTranslation('developer')
  const { isAnswer = false } = props
  return (
    <DataTable
      caption={props.caption}
      columns={columnsIn(t, isAnswer)}
      rows={props.fields}
      rowKey={({ name }) => name}
    />
  )
}

const columnsIn = (t: TFunction<'developer'>, isAnswer: boolean): Column<Field>[] => [
  {
    key: 'name',
    header: t('reference.name'),
    isTitle: true,
    cell: ({ name, isRequired }) => (
      <span className={classes.field}>
        <code>{name}</code>
        {isRequired && !isAnswer && (
          <span className={classes.required}>{t('reference.required')}</span>
        )}
      </span>
    ),
  },
  { key: 'type', header: t('reference.type'), cell: ({ type }) => <code>{type}</code> },
  {
    key: 'description',
    header: t('reference.description'),
    cell: ({ description }) => description || '–',
  },
]
