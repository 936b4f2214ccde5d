import { useTranslation } from 'react-i18next'
import type { RefundRequestRow } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useAssigning } from './assigning'
import { assignedRefunds } from './assigned-lists'
import { useRefundActions } from './refund-actions'
import { refundRequests } from './resources'
import { MoneyState, useStateFilter } from './states'

/** What users want given back. */
export function RefundsPage() {
  const { t } = useTranslation('console/money')
  const assigning = useAssigning(assignedRefunds)
  return (
    <ListPage
      title={t('refunds.title')}
      about={t('refunds.about')}
      resource={refundRequests}
      columns={useColumns(assigning.column)}
      filters={[
        useStateFilter(['open', 'granted', 'declined', 'withdrawn'], true),
        assigning.filter,
      ]}
      actions={[...useRefundActions(), ...assigning.actions]}
      keys={assigning.keys}
      link={({ id }) => ({ to: '/admin/refunds/$id', params: { id: String(id) } })}
      nameOf={({ id }) => `#${id}`}
      empty={t('refunds.empty')}
    />
  )
}

function useColumns(assignee: Column<RefundRequestRow>): Column<RefundRequestRow>[] {
  const { t } = useTranslation('console/money')
  const currency = useCurrency()
  return [
    {
      key: 'order',
      title: t('column.order'),
      place: 'title',
      width: '6rem',
      cell: ({ order_no: no }) => `#${no}`,
    },
    {
      key: 'user',
      title: t('column.user'),
      place: 'fact',
      width: '10rem',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'plan',
      title: t('column.item'),
      place: 'fact',
      width: '7rem',
      cell: ({ plan }) => plan.name,
    },
    {
      key: 'amount',
      title: t('refunds.amount'),
      place: 'fact',
      width: '6.5rem',
      align: 'end',
      cell: ({ refundable, refunded }) => {
        const amount = refundable ?? refunded
        return amount === null ? '—' : <Money amount={amount} currency={currency} />
      },
    },
    { key: 'reason', title: t('column.reason'), place: 'fact', cell: ({ reason }) => reason },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '7rem',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    assignee,
    {
      key: 'answer',
      title: t('column.answer'),
      isExtra: true,
      cell: ({ answer }) => answer || '—',
    },
    {
      key: 'created',
      title: t('column.created'),
      width: '7rem',
      cell: ({ created_at: time }) => <Moment time={time} />,
    },
  ]
}
