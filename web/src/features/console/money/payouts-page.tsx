import { useTranslation } from 'react-i18next'
import type { StaffPayout } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useAssigning } from './assigning'
import { assignedPayouts } from './assigned-lists'
import { usePayoutActions } from './payout-actions'
import { payouts } from './resources'
import { MoneyState, useStateFilter } from './states'

/** Commission that users want paid outside of the site. */
export function PayoutsPage() {
  const { t } = useTranslation('console/money')
  const assigning = useAssigning(assignedPayouts)
  return (
    <ListPage
      title={t('payouts.title')}
      about={t('payouts.about')}
      resource={payouts}
      columns={useColumns(assigning.column)}
      filters={[
        useStateFilter(['open', 'waiting', 'paid', 'refused', 'withdrawn'], true),
        assigning.filter,
        { key: 'user_id', title: t('column.userNo'), kind: 'reference' },
      ]}
      actions={[...usePayoutActions(), ...assigning.actions]}
      keys={assigning.keys}
      link={({ id }) => ({ to: '/admin/payouts/$id', params: { id: String(id) } })}
      nameOf={({ id }) => `#${id}`}
      empty={t('payouts.empty')}
    />
  )
}

function useColumns(assignee: Column<StaffPayout>): Column<StaffPayout>[] {
  const { t } = useTranslation('console/money')
  const currency = useCurrency()
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      width: '10rem',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'method',
      title: t('column.method'),
      width: '6rem',
      place: 'fact',
      cell: ({ method }) => t(`method.${method}`),
    },
    { key: 'account', title: t('column.account'), cell: ({ account }) => account },
    {
      key: 'amount',
      title: t('column.amount'),
      place: 'fact',
      width: '6.5rem',
      align: 'end',
      cell: ({ amount }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '11rem',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    assignee,
    {
      key: 'created',
      title: t('column.created'),
      width: '7rem',
      cell: ({ created_at: time }) => <Moment time={time} />,
    },
  ]
}
