import { BadgeCheck, RotateCcwSquare, Satellite, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffRechargeConfirmRules, staffRechargeRefundRules } from '@/lib/api/gen/staff/rules.gen'
import {
  staffRechargeCancel,
  staffRechargeConfirm,
  staffRechargeRefund,
} from '@/lib/api/gen/staff/sdk.gen'
import type { RechargeDetail, RechargeRow } from '@/lib/api/gen/staff/types.gen'
import { toAmount, toMinor } from '@/lib/money'
import type { Action } from '../parts/action'
import { useMoneyText } from '../parts/use-money-text'

/** What may be done with a recharge on its page. */
export function useRechargeActions(): Action<RechargeDetail>[] {
  return [useConfirm(), useQueryGateway(), useCancel(), useRechargeRefund<RechargeDetail>()]
}

const isUnpaid = ({ state }: RechargeRow) => ['pending', 'expired', 'failed'].includes(state)

/** Has the platform of its gateway asked whether it was paid. */
function useQueryGateway(): Action<RechargeDetail> {
  const { t } = useTranslation('console/money-detail')
  return {
    key: 'query',
    icon: Satellite,
    title: t('query.title'),
    permission: 'payment.confirm',
    danger: 'C',
    isShown: (recharge) => isUnpaid(recharge) && !recharge.by_hand,
    effect: ({ gateway, no }) => t('query.effect', { gateway, no }),
    run: ({ no }) =>
      staffRechargeConfirm({ path: { recharge_no: no }, body: {}, throwOnError: true }),
    done: ({ no }) => t('query.done', { no }),
  }
}

/** Says that it was paid, which no platform is asked about. */
function useConfirm(): Action<RechargeDetail> {
  const { t } = useTranslation('console/money-detail')
  const money = useMoneyText()
  return {
    key: 'confirm',
    icon: BadgeCheck,
    title: t('confirm.title'),
    permission: 'payment.confirm',
    danger: 'R',
    isShown: isUnpaid,
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
    effect: ({ no, user, amount, currency, gateway, by_hand: byHand }) =>
      t(byHand ? 'confirm.effect' : 'confirm.outsideEffect', {
        no,
        gateway,
        user: user.email,
        amount: money(amount, currency),
      }),
    run: ({ no, by_hand: byHand }, { reason, act_id: act }) =>
      staffRechargeConfirm({
        path: { recharge_no: no },
        body: { outside: !byHand, reason: String(reason), ...(act && { act_id: Number(act) }) },
        throwOnError: true,
      }),
    done: ({ no }) => t('confirm.done', { no }),
  }
}

/** Ends one that waits for payment. One that pays for an order ends with the order. */
function useCancel(): Action<RechargeDetail> {
  const { t } = useTranslation('console/money-detail')
  return {
    key: 'cancel',
    icon: SquareX,
    title: t('cancelRecharge.title'),
    permission: 'order.cancel',
    danger: 'R',
    isShown: ({ state, order_no: order }) => state === 'pending' && order === null,
    effect: ({ no, user }) => t('cancelRecharge.effect', { no, user: user.email }),
    run: ({ no }, { reason }) =>
      staffRechargeCancel({
        path: { recharge_no: no },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ no }) => t('cancelRecharge.done', { no }),
  }
}

/** What has not gone back, or begun to. */
const restOf = ({ amount, refunded, refunding }: RechargeRow) =>
  toAmount(toMinor(amount) - toMinor(refunded) - toMinor(refunding))

/** Pays a recharge back, or a part of it. */
export function useRechargeRefund<S extends RechargeRow>(): Action<S> {
  const { t } = useTranslation('console/money')
  return {
    key: 'refund',
    icon: RotateCcwSquare,
    title: t('recharges.refund'),
    permission: 'money.refund',
    danger: 'R',
    isShown: (recharge) => recharge.state === 'paid' && toMinor(restOf(recharge)) > 0,
    fields: (recharge) => [
      {
        name: 'amount',
        label: t('column.amount'),
        kind: 'money',
        initial: restOf(recharge),
        isRequired: true,
      },
      { name: 'by_hand', label: t('recharges.byHand'), kind: 'switch' },
      {
        name: 'reason',
        label: t('reason'),
        kind: 'textarea',
        isRequired: true,
        rules: staffRechargeRefundRules.reason,
      },
    ],
    effect: ({ no, user }) => t('recharges.refundEffect', { no, user: user.email }),
    run: ({ no }, { amount, by_hand: byHand, reason }) =>
      staffRechargeRefund({
        path: { recharge_no: no },
        body: { amount: String(amount), by_hand: byHand === true, reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ no }) => t('recharges.refunded', { no }),
  }
}
