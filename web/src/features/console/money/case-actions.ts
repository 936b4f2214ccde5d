import { ArchiveX, CornerUpLeft, Wallet } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffPaymentCaseCredit,
  staffPaymentCaseDismiss,
  staffPaymentCaseRefund,
} from '@/lib/api/gen/staff/sdk.gen'
import type { PaymentCaseItem, PersonRef } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'

type Case = PaymentCaseItem & { user?: PersonRef }

/** What may be done with a payment case that is open. */
export function useCaseActions(): Action<Case>[] {
  return [useCredit(), useEnd('refund'), useEnd('dismiss')]
}

const isOpen = ({ state }: PaymentCaseItem) => state === 'open'

/** Whether nobody who can gain anything is known: the payment names no user, or one whose account was closed. */
const needsUser = ({ user_id: id, kind, user }: Case) =>
  id === null || kind === 'account_closed' || user?.email === ''

function useCredit(): Action<Case> {
  const { t } = useTranslation('console/money')
  return {
    key: 'credit',
    icon: Wallet,
    title: t('cases.credit'),
    permission: 'payment.case.decide',
    danger: 'R',
    isShown: isOpen,
    fields: (found) =>
      needsUser(found)
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
    run: (found, { user_id: user, reason }) =>
      staffPaymentCaseCredit({
        path: { case_id: found.id },
        body: { reason: String(reason), ...(needsUser(found) && { user_id: Number(user) }) },
        throwOnError: true,
      }),
    done: ({ id }) => t('cases.credited', { id }),
  }
}

function useEnd(how: 'refund' | 'dismiss'): Action<Case> {
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
