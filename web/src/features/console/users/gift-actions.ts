import { useNavigate } from '@tanstack/react-router'
import { CircleDollarSign, CirclePlus, Gauge, ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffAdjustmentMake,
  staffServiceGive,
  staffTrafficGive,
} from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import type { Option } from '../parts/option'
import { useMay } from '../parts/permissions'
import { usePlanOptions } from '../parts/plan-names'

const isOpen = ({ state }: { state: string }) => state !== 'closed'

export const GIB = 2 ** 30

/** The plans that may be given, for a choice in a dialog. */
export function useGivenPlans(): readonly Option[] {
  const may = useMay()
  return usePlanOptions({ kind: 'plan', isWanted: may('service.give') }) ?? []
}

/** What may be given to a user that is worth money. */
export function useGiftActions(): Action<UserDetail>[] {
  return [useOrder(), usePlanGift(), useTrafficGift(), useAdjustment()]
}

function useOrder(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  const navigate = useNavigate()
  return {
    key: 'order',
    icon: ScrollText,
    title: t('order.title'),
    permission: 'order.make',
    danger: 'U',
    leads: true,
    isShown: isOpen,
    effect: () => '',
    run: ({ id }) => navigate({ to: '/admin/orders/new', search: { user: id } }),
    done: () => '',
  }
}

function usePlanGift(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  const options = useGivenPlans()
  return {
    key: 'plan',
    icon: CirclePlus,
    title: t('plan.title'),
    permission: 'service.give',
    danger: 'R',
    isShown: isOpen,
    fields: () => [
      {
        name: 'plan_id',
        label: t('plan.plan'),
        kind: 'choice',
        options,
        initial: options[0]?.value ?? '',
      },
      { name: 'days', label: t('plan.days'), kind: 'number', isRequired: true, initial: '30' },
    ],
    effect: ({ email }) => t('plan.effect', { email }),
    run: ({ id }, { plan_id: plan, days, reason }) =>
      staffServiceGive({
        path: { user_id: id },
        body: {
          kind: 'start',
          plan_id: Number(plan || options[0]?.value),
          days: Number(days),
          reason: String(reason),
        },
        throwOnError: true,
      }),
    done: ({ email }) => t('plan.done', { email }),
  }
}

function useTrafficGift(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'traffic',
    icon: Gauge,
    title: t('traffic.title'),
    permission: 'traffic.grant',
    danger: 'R',
    isShown: isOpen,
    fields: () => [
      {
        name: 'bytes',
        label: t('traffic.gigabytes'),
        kind: 'number',
        isRequired: true,
        initial: '10',
      },
      {
        name: 'name',
        label: t('traffic.name'),
        hint: t('traffic.nameHint'),
        kind: 'text',
        isRequired: true,
        initial: t('traffic.gift'),
        rules: { maxLength: 64 },
      },
    ],
    effect: ({ email }) => t('traffic.effect', { email }),
    run: ({ id }, { bytes, name, reason }) =>
      staffTrafficGive({
        path: { user_id: id },
        body: {
          bytes: Math.round(Number(bytes) * GIB),
          name: String(name),
          reason: String(reason),
        },
        throwOnError: true,
      }),
    done: ({ email }) => t('traffic.done', { email }),
  }
}

function useAdjustment(): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'adjust',
    icon: CircleDollarSign,
    title: t('adjust.title'),
    permission: 'money.adjustment.make',
    danger: 'R',
    isShown: isOpen,
    fields: () => [
      {
        name: 'amount',
        label: t('adjust.amount'),
        hint: t('adjust.amountHint'),
        kind: 'text',
        isRequired: true,
        rules: { pattern: /^-?\d+(\.\d{1,2})?$/ },
      },
      {
        name: 'reason',
        label: t('adjust.reason'),
        kind: 'textarea',
        isRequired: true,
        rules: { maxLength: 200 },
      },
    ],
    effect: ({ email }) => t('adjust.effect', { email }),
    run: ({ id }, { amount, reason }) =>
      staffAdjustmentMake({
        body: { user_id: id, amount: String(amount), reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ email }) => t('adjust.done', { email }),
  }
}
