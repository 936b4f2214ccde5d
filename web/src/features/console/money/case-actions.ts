import { ArchiveX, CornerUpLeft, Wallet } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffPaymentCaseCredit,
  staffPaymentCaseDismiss,
  staffPaymentCaseRefund,
} from '@/lib/api/gen/staff/sdk.gen'
import type { PaymentCaseItem } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'

/** What may be done with a payment case that is open. */
export function useCaseActions(): Action<PaymentCaseItem>[] {
  return [useCredit(), useEnd('refund'), useEnd('dismiss')]
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
