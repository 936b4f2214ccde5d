import { Check, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffRefundDecideRules } from '@/lib/api/gen/staff/rules.gen'
import { staffRefundDecide } from '@/lib/api/gen/staff/sdk.gen'
import type { RefundRequestRow } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { personText } from '../parts/person-text'
import { useMoneyText } from '../parts/use-money-text'

/** What may be done with a refund request that is open. */
export function useRefundActions(): Action<RefundRequestRow>[] {
  return [useDecision(true), useDecision(false)]
}

function useDecision(grants: boolean): Action<RefundRequestRow> {
  const { t } = useTranslation('console/money')
  const money = useMoneyText()
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
    effect: ({ order_no: no, user, plan, refundable }) =>
      t(`refunds.${which}Effect`, {
        no,
        plan: plan.name,
        user: personText(user),
        amount: money(refundable ?? ''),
      }),
    run: ({ id }, { reason }) =>
      staffRefundDecide({
        path: { request_id: id },
        body: { grant: grants, answer: String(reason) },
        throwOnError: true,
      }),
    done: ({ order_no: no }) => t(`refunds.${which}Done`, { no }),
  }
}
