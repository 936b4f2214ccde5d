import type { TFunction } from 'i18next'
import { UsersRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { InvitedUser } from '@/lib/api/gen/types.gen'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'

export function People({ people }: { people: readonly InvitedUser[] }) {
  const { t } = useTranslation('invite')
  if (people.length === 0) return <Empty icon={UsersRound} text={t('nobody')} />
  return (
    <DataTable
      caption={t('people')}
      columns={columnsIn(t)}
      rows={people}
      rowKey={({ user_id }) => user_id}
      isCompact
    />
  )
}

const columnsIn = (t: TFunction<'invite'>): Column<InvitedUser>[] => [
  { key: 'who', header: t('who'), isTitle: true, cell: ({ username }) => username },
  { key: 'when', header: t('when'), cell: (row) => <Moment time={row.registered_at} /> },
  {
    key: 'state',
    header: t('state'),
    cell: ({ status }) =>
      status === 'paid' ? (
        <StatusDot tone="success">{t('paid')}</StatusDot>
      ) : (
        <StatusDot tone="neutral">{t('registered')}</StatusDot>
      ),
  },
]
