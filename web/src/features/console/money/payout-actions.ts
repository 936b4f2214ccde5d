import { Check, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffPayoutPayRules, staffPayoutRefuseRules } from '@/lib/api/gen/staff/rules.gen'
import { staffPayoutPay, staffPayoutRefuse } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPayout } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { personText } from '../parts/person-text'
import { useMoneyText } from '../parts/use-money-text'

/** What may be done with a payout that is not decided. */
export function usePayoutActions(): Action<StaffPayout>[] {
  return [usePay(), useRefuse()]
}

function usePay(): Action<StaffPayout> {
  const { t } = useTranslation('console/money')
  const money = useMoneyText()
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
    effect: ({ amount, account, user }) =>
      t('payouts.payEffect', { amount: money(amount), account, user: personText(user) }),
    run: ({ id }, { reason }) =>
      staffPayoutPay({
        path: { payout_id: id },
        body: { note: String(reason) },
        throwOnError: true,
      }),
    done: ({ id }) => t('payouts.paid', { id }),
  }
}

function useRefuse(): Action<StaffPayout> {
  const { t } = useTranslation('console/money')
  const money = useMoneyText()
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
    effect: ({ amount, user }) =>
      t('payouts.refuseEffect', { amount: money(amount), user: personText(user) }),
    run: ({ id }, { reason }) =>
      staffPayoutRefuse({
        path: { payout_id: id },
        body: { answer: String(reason) },
        throwOnError: true,
      }),
    done: ({ id }) => t('payouts.refused', { id }),
  }
}
