import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { WrongUserLine } from '@/lib/api/gen/staff/types.gen'
import { listOf } from '../parts/list-of'
import { useMay } from '../parts/permissions'
import type { Column, RowLink } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { Section } from '../parts/section'
import classes from './user-import.module.css'
import type { UserFile } from './use-user-import'

/** What keeps the file from being imported, line by line. */
export function WrongLines({ file }: { file: UserFile }) {
  const { t } = useTranslation('console/user-import')
  const resource = useMemo(
    () =>
      listOf(
        'user-import-wrong',
        file.found.wrong,
        String(file.id),
        ({ line, field }) => `${line}.${field}`,
      ),
    [file],
  )
  return (
    <Section title={t('wrong.title')}>
      <ResourceTable
        caption={t('wrong.title')}
        resource={resource}
        columns={useWrongColumns()}
        empty={{ text: '' }}
      />
    </Section>
  )
}

function useWrongColumns(): Column<WrongUserLine>[] {
  const { t } = useTranslation('console/user-import')
  return [
    {
      key: 'line',
      title: t('wrong.line'),
      width: '5rem',
      place: 'title',
      cell: ({ line }) => line,
    },
    {
      key: 'field',
      title: t('wrong.field'),
      width: '7rem',
      place: 'state',
      cell: ({ field }) => (field === 'line' ? t('wrong.whole') : field),
    },
    {
      key: 'message',
      title: t('wrong.message'),
      place: 'fact',
      cell: ({ message }) => <span className={classes.message}>{message}</span>,
    },
  ]
}

const link = (email: string): RowLink => ({ to: '/admin/users', search: { q: email } as never })

/** The addresses of the file that have an account. */
export function PresentUsers({ file }: { file: UserFile }) {
  const { t } = useTranslation('console/user-import')
  const mayRead = useMay()('user.read')
  const resource = useMemo(
    () => listOf('user-import-present', file.found.present, String(file.id), (email) => email),
    [file],
  )
  return (
    <Section title={t('present.title')}>
      <ResourceTable
        caption={t('present.title')}
        resource={resource}
        columns={[
          { key: 'email', title: t('present.email'), place: 'title', cell: (email) => email },
        ]}
        {...(mayRead && { link })}
        empty={{ text: '' }}
      />
    </Section>
  )
}
