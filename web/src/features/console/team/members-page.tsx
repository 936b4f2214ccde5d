import { useTranslation } from 'react-i18next'
import type { StaffMember } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { useAddition, useMemberActions } from './member-actions'
import { MemberFactor } from './member-factor'
import { members } from './resource'
import { useRoleName } from './role-name'

/** Who is a member of staff, with which role, and how well the account is kept. */
export function MembersPage() {
  const { t } = useTranslation('console/team')
  return (
    <ListPage
      title={t('member.title')}
      about={t('member.about')}
      resource={members}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/staff/$id', params: { id: String(id) } })}
      actions={useMemberActions()}
      nameOf={({ email }) => email}
      empty={t('member.empty')}
      action={<ActionButton subject={undefined} action={useAddition()} isPrimary />}
    />
  )
}

function useColumns(): Column<StaffMember>[] {
  const { t } = useTranslation('console/team')
  const nameOf = useRoleName()
  return [
    { key: 'email', title: t('column.email'), place: 'title', cell: ({ email }) => email },
    {
      key: 'role',
      title: t('column.role'),
      width: '11rem',
      place: 'fact',
      cell: ({ role }) => nameOf(role),
    },
    {
      key: 'factor',
      title: t('column.factor'),
      width: '14rem',
      place: 'state',
      cell: (member) => <MemberFactor member={member} />,
    },
    {
      key: 'seen',
      title: t('column.seen'),
      width: '12rem',
      place: 'fact',
      cell: ({ seen_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
    {
      key: 'sessions',
      title: t('column.sessions'),
      width: '7rem',
      align: 'end',
      cell: ({ sessions }) => sessions,
    },
  ]
}
