import { useTranslation } from 'react-i18next'
import type { PaymentCaseRow } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useAssigning } from './assigning'
import { useCaseActions } from './case-actions'
import { assignedCases } from './assigned-lists'
import { paymentCases } from './resources'
import { MoneyState, useStateFilter } from './states'

/** Payments that were refused, doubled or match nothing. */
export function CasesPage() {
  const { t } = useTranslation('console/money')
  const assigning = useAssigning(assignedCases)
  return (
    <ListPage
      title={t('cases.title')}
      about={t('cases.about')}
      resource={paymentCases}
      columns={useColumns(assigning.column)}
      filters={[
        useStateFilter(['open', 'waiting', 'refunding', 'credited', 'refunded', 'dismissed'], true),
        assigning.filter,
      ]}
      actions={[...useCaseActions(), ...assigning.actions]}
      keys={assigning.keys}
      link={({ id }) => ({ to: '/admin/payment-cases/$id', params: { id: String(id) } })}
      nameOf={({ id }) => `#${id}`}
      empty={t('cases.empty')}
    />
  )
}

function useColumns(assignee: Column<PaymentCaseRow>): Column<PaymentCaseRow>[] {
  const { t } = useTranslation('console/money')
  return [
    {
      key: 'kind',
      title: t('column.reason'),
      place: 'title',
      cell: ({ kind }) => t(`caseKind.${kind}`),
    },
    { key: 'gateway', title: t('column.gateway'), width: '8rem', cell: ({ gateway }) => gateway },
    {
      key: 'amount',
      title: t('column.amount'),
      place: 'fact',
      width: '8rem',
      align: 'end',
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'user',
      title: t('column.user'),
      width: '6rem',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'transaction',
      title: t('column.transaction'),
      cell: ({ transaction_id: id }) => id || '—',
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
      place: 'fact',
      width: '11.5rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
