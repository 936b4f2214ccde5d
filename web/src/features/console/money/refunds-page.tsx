import { Check, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffRefundDecideRules } from '@/lib/api/gen/staff/rules.gen'
import { staffRefundDecide } from '@/lib/api/gen/staff/sdk.gen'
import type { RefundRequestItem } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { refundRequests } from './resources'
import { MoneyState, useStateFilter } from './states'

/** What users want given back. */
export function RefundsPage() {
  const { t } = useTranslation('console/money')
  return (
    <ListPage
      title={t('refunds.title')}
      about={t('refunds.about')}
      resource={refundRequests}
      columns={useColumns()}
      filters={[useStateFilter(['open', 'granted', 'declined', 'withdrawn'], true)]}
      actions={[useDecision(true), useDecision(false)]}
      nameOf={({ id }) => `#${id}`}
      empty={t('refunds.empty')}
    />
  )
}

function useColumns(): Column<RefundRequestItem>[] {
  const { t } = useTranslation('console/money')
  return [
    {
      key: 'order',
      title: t('column.order'),
      place: 'title',
      width: '8rem',
      cell: ({ order_no: no }) => `#${no}`,
    },
    {
      key: 'user',
      title: t('column.user'),
      place: 'fact',
      width: '8rem',
      cell: ({ user_id: id }) => <Person user={{ id }} />,
    },
    { key: 'reason', title: t('column.reason'), place: 'fact', cell: ({ reason }) => reason },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '8rem',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    { key: 'answer', title: t('column.answer'), cell: ({ answer }) => answer || '—' },
    {
      key: 'created',
      title: t('column.created'),
      width: '12rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useDecision(grants: boolean): Action<RefundRequestItem> {
  const { t } = useTranslation('console/money')
  const which = grants ? 'grant' : 'decline'
  return {
    key: which,
    icon: grants ? Check : SquareX,
    title: t(`refunds.${which}`),
    permission: 'money.refund',
    danger: grants ? 'R' : 'C',
    isShown: ({ state }) => state === 'open',
    fields: () => [
      {
        // What the user reads is the reason, too.
        name: 'reason',
        label: t('refunds.answer'),
        kind: 'textarea',
        isRequired: !grants,
        rules: staffRefundDecideRules.answer,
      },
    ],
    effect: ({ order_no: no, user_id: user }) => t(`refunds.${which}Effect`, { no, user }),
    run: ({ id }, { reason }) =>
      staffRefundDecide({
        path: { request_id: id },
        body: { grant: grants, answer: String(reason) },
        throwOnError: true,
      }),
    done: ({ order_no: no }) => t(`refunds.${which}Done`, { no }),
  }
}
