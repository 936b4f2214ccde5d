import { Check, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffPayoutPayRules, staffPayoutRefuseRules } from '@/lib/api/gen/staff/rules.gen'
import { staffPayoutPay, staffPayoutRefuse } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPayout } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { payouts } from './resources'
import { MoneyState, useStateFilter } from './states'

/** Commission that users want paid outside of the site. */
export function PayoutsPage() {
  const { t } = useTranslation('console/money')
  return (
    <ListPage
      title={t('payouts.title')}
      about={t('payouts.about')}
      resource={payouts}
      columns={useColumns()}
      filters={[
        useStateFilter(['open', 'waiting', 'paid', 'refused', 'withdrawn'], true),
        { key: 'user_id', title: t('column.userNo'), kind: 'reference' },
      ]}
      actions={[usePay(), useRefuse()]}
      nameOf={({ id }) => `#${id}`}
      empty={t('payouts.empty')}
    />
  )
}

function useColumns(): Column<StaffPayout>[] {
  const { t } = useTranslation('console/money')
  const currency = useCurrency()
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      width: '8rem',
      cell: ({ user_id: id }) => <Person user={{ id }} />,
    },
    {
      key: 'method',
      title: t('column.method'),
      width: '8rem',
      place: 'fact',
      cell: ({ method }) => t(`method.${method}`),
    },
    { key: 'account', title: t('column.account'), cell: ({ account }) => account },
    {
      key: 'amount',
      title: t('column.amount'),
      place: 'fact',
      width: '8rem',
      align: 'end',
      cell: ({ amount }) => <Money amount={amount} currency={currency} />,
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
      width: '12rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function usePay(): Action<StaffPayout> {
  const { t } = useTranslation('console/money')
  return {
    key: 'pay',
    icon: Check,
    title: t('payouts.pay'),
    permission: 'money.commission.pay',
    danger: 'R',
    isShown: ({ state }) => state === 'open' || state === 'waiting',
    fields: () => [
      {
        name: 'reason',
        label: t('payouts.note'),
        hint: t('payouts.noteHint'),
        kind: 'text',
        isRequired: true,
        rules: staffPayoutPayRules.note,
      },
    ],
    effect: ({ amount, account, user_id: user }) =>
      t('payouts.payEffect', { amount, account, user }),
    run: ({ id }, { reason }) =>
      staffPayoutPay({
        path: { payout_id: id },
        body: { note: String(reason) },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
        throwOnError: true,
      }),
    done: ({ id }) => t('payouts.paid', { id }),
  }
}

function useRefuse(): Action<StaffPayout> {
  const { t } = useTranslation('console/money')
  return {
    key: 'refuse',
    icon: SquareX,
    title: t('payouts.refuse'),
    permission: 'money.commission.pay',
    danger: 'R',
    isShown: ({ state }) => state === 'open' || state === 'waiting',
    fields: () => [
      {
        name: 'reason',
        label: t('payouts.answer'),
        kind: 'textarea',
        isRequired: true,
        rules: staffPayoutRefuseRules.answer,
      },
    ],
    effect: ({ amount, user_id: user }) => t('payouts.refuseEffect', { amount, user }),
    run: ({ id }, { reason }) =>
      staffPayoutRefuse({
        path: { payout_id: id },
        body: { answer: String(reason) },
        throwOnError: true,
      }),
    done: ({ id }) => t('payouts.refused', { id }),
  }
}
