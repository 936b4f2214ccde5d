import { BadgeCheck, RotateCcwSquare, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffRechargeConfirmRules } from '@/lib/api/gen/staff/rules.gen'
import {
  staffOrderCancel,
  staffOrderRefund,
  staffRechargeConfirm,
} from '@/lib/api/gen/staff/sdk.gen'
import type { OrderDetail, OrderRow } from '@/lib/api/gen/staff/types.gen'
import { toMinor } from '@/lib/money'
import type { Action } from '../parts/action'
import { useMoneyText } from '../parts/use-money-text'

/** What may be done with an order on its page. */
export function useOrderActions(): Action<OrderDetail>[] {
  return [useMarkPaid(), useCancel(), useRefundOf()]
}

function useMarkPaid(): Action<OrderDetail> {
  const { t } = useTranslation('console/money-detail')
  return {
    key: 'paid',
    icon: BadgeCheck,
    title: t('markPaid.title'),
    permission: 'payment.confirm',
    danger: 'R',
    isShown: ({ state, recharge_no: recharge }) => state === 'pending' && recharge !== null,
    fields: () => [
      {
        name: 'reason',
        label: t('markPaid.reason'),
        hint: t('markPaid.reasonHint'),
        kind: 'textarea',
        isRequired: true,
        rules: staffRechargeConfirmRules.reason,
      },
      {
        name: 'act_id',
        label: t('act'),
        hint: t('actHint'),
        kind: 'number',
        rules: { pattern: /^\d*$/ },
      },
    ],
    effect: ({ no, user }) => t('markPaid.effect', { no, user: user.email }),
    run: ({ recharge_no: recharge }, { reason, act_id: act }) =>
      staffRechargeConfirm({
        path: { recharge_no: recharge ?? 0 },
        body: { outside: true, reason: String(reason), ...(act && { act_id: Number(act) }) },
        throwOnError: true,
      }),
    done: ({ no }) => t('markPaid.done', { no }),
  }
}

function useCancel(): Action<OrderDetail> {
  const { t } = useTranslation('console/money-detail')
  return {
    key: 'cancel',
    icon: SquareX,
    title: t('cancel.title'),
    permission: 'order.cancel',
    danger: 'R',
    isShown: ({ state }) => state === 'pending',
    effect: ({ no, user }) => t('cancel.effect', { no, user: user.email }),
    run: ({ no }, { reason }) =>
      staffOrderCancel({
        path: { order_no: no },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ no }) => t('cancel.done', { no }),
  }
}

function useRefundOf(): Action<OrderDetail> {
  const { t } = useTranslation('console/money-detail')
  const money = useMoneyText()
  return {
    ...useOrderRefund<OrderDetail>(),
    isShown: ({ state, refundable }) => state === 'paid' && toMinor(refundable) > 0,
    effect: ({ no, user, refundable, currency }) =>
      t('refundEffect', { no, user: user.email, amount: money(refundable, currency) }),
  }
}

/** Gives back what is unused of an order. */
export function useOrderRefund<S extends OrderRow>(): Action<S> {
  const { t } = useTranslation('console/money')
  return {
    key: 'refund',
    icon: RotateCcwSquare,
    title: t('orders.refund'),
    permission: 'money.refund',
    danger: 'R',
    isShown: ({ state }) => state === 'paid',
    effect: ({ no, user }) => t('orders.refundEffect', { no, user: user.email }),
    run: ({ no }, { reason }) =>
      staffOrderRefund({
        path: { order_no: no },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ no }) => t('orders.refunded', { no }),
  }
}
