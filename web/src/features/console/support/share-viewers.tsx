import { useTranslation } from 'react-i18next'
import type { ShareAccountViewer, StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { viewersOf } from './resource'

/** Who saw the secret of a share account. */
export function ShareViewers({ account }: { account: StaffShareAccount }) {
  const { t } = useTranslation('console/support')
  return (
    <ResourceTable
      caption={t('shares.viewers')}
      resource={viewersOf(account.id)}
      columns={useViewerColumns(account)}
      empty={{ text: t('shares.noViewers') }}
    />
  )
}

function useViewerColumns(account: StaffShareAccount): Column<ShareAccountViewer>[] {
  const { t } = useTranslation('console/support')
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      cell: ({ user_id: id, email }) => <Person user={{ id, email }} />,
    },
    {
      key: 'version',
      title: t('shares.sawWhich'),
      width: '12rem',
      place: 'state',
      cell: ({ version }) =>
        t(version === account.secret_version ? 'shares.present' : 'shares.former'),
    },
    {
      key: 'count',
      title: t('shares.times'),
      width: '7rem',
      align: 'end',
      place: 'fact',
      cell: ({ count }) => count,
    },
    {
      key: 'first',
      title: t('shares.firstAt'),
      width: '12rem',
      cell: ({ first_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'last',
      title: t('shares.lastAt'),
      width: '12rem',
      place: 'fact',
      cell: ({ last_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
