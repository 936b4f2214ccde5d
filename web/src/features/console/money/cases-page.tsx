import { ArchiveX, CornerUpLeft, Wallet } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffPaymentCaseCredit,
  staffPaymentCaseDismiss,
  staffPaymentCaseRefund,
} from '@/lib/api/gen/staff/sdk.gen'
import type { PaymentCaseItem } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { paymentCases } from './resources'
import { MoneyState, useStateFilter } from './states'

/** Payments that were refused, doubled or match nothing. */
export function CasesPage() {
  const { t } = useTranslation('console/money')
  return (
    <ListPage
      title={t('cases.title')}
      about={t('cases.about')}
      resource={paymentCases}
      columns={useColumns()}
      filters={[
        useStateFilter(['open', 'waiting', 'refunding', 'credited', 'refunded', 'dismissed'], true),
      ]}
      actions={[useCredit(), useEnd('refund'), useEnd('dismiss')]}
      nameOf={({ id }) => `#${id}`}
      empty={t('cases.empty')}
    />
  )
}

function useColumns(): Column<PaymentCaseItem>[] {
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
      width: '8rem',
      cell: ({ user_id: id }) => <Person user={id === null ? null : { id }} />,
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
      width: '10rem',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      place: 'fact',
      width: '12rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

const isOpen = ({ state }: PaymentCaseItem) => state === 'open'

function useCredit(): Action<PaymentCaseItem> {
  const { t } = useTranslation('console/money')
  return {
    key: 'credit',
    icon: Wallet,
    title: t('cases.credit'),
    permission: 'payment.case.decide',
    danger: 'R',
    isShown: isOpen,
    fields: ({ user_id: user }) =>
      user === null
        ? [
            {
              name: 'user_id',
              label: t('column.userNo'),
              kind: 'number',
              isRequired: true,
              rules: { pattern: /^\d+$/ },
            },
          ]
        : [],
    effect: ({ id }) => t('cases.creditEffect', { id }),
    run: ({ id, user_id: known }, { user_id: user, reason }) =>
      staffPaymentCaseCredit({
        path: { case_id: id },
        body: { reason: String(reason), ...(known === null && { user_id: Number(user) }) },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
        throwOnError: true,
      }),
    done: ({ id }) => t('cases.credited', { id }),
  }
}

function useEnd(how: 'refund' | 'dismiss'): Action<PaymentCaseItem> {
  const { t } = useTranslation('console/money')
  const call = how === 'refund' ? staffPaymentCaseRefund : staffPaymentCaseDismiss
  return {
    key: how,
    icon: how === 'refund' ? CornerUpLeft : ArchiveX,
    title: t(`cases.${how}`),
    permission: 'payment.case.decide',
    danger: 'R',
    isShown: isOpen,
    effect: ({ id }) => t(`cases.${how}Effect`, { id }),
    run: ({ id }, { reason }) =>
      call({ path: { case_id: id }, body: { reason: String(reason) }, throwOnError: true }),
    done: ({ id }) => t(`cases.${how}Done`, { id }),
  }
}
