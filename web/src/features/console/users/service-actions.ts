import { CalendarPlus, CircleStop, Replace, RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffServiceEnd, staffServiceGive } from '@/lib/api/gen/staff/sdk.gen'
import type { Action } from '../parts/action'
import { useGivenPlans } from './gift-actions'

/** A service, as far as actions on it need to know. */
export type OneService = {
  id: number
  user_id: number
  plan_id: number
  name: string
  ended_at: string | null
  end_reason: string
}

const runs = ({ ended_at: ended }: OneService) => ended === null

/** What may be done with a service of a user. */
export function useServiceActions(): Action<OneService>[] {
  return [useExtend(), useReset(), useChange(), useEnd()]
}

function useExtend(): Action<OneService> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'extend',
    icon: CalendarPlus,
    title: t('extend.title'),
    permission: 'service.give',
    danger: 'R',
    isShown: (one) => runs(one) || one.end_reason === 'expired',
    fields: () => [
      { name: 'days', label: t('plan.days'), kind: 'number', isRequired: true, initial: '30' },
    ],
    effect: ({ name }) => t('extend.effect', { name }),
    run: ({ user_id: user, id }, { days, reason }) =>
      staffServiceGive({
        path: { user_id: user },
        body: { kind: 'extend', service_id: id, days: Number(days), reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ name }) => t('extend.done', { name }),
  }
}

function useReset(): Action<OneService> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'reset',
    icon: RotateCcw,
    title: t('reset.title'),
    permission: 'service.give',
    danger: 'R',
    isShown: runs,
    effect: ({ name }) => t('reset.effect', { name }),
    run: ({ user_id: user, id }, { reason }) =>
      staffServiceGive({
        path: { user_id: user },
        body: { kind: 'reset', service_id: id, reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ name }) => t('reset.done', { name }),
  }
}

function useChange(): Action<OneService> {
  const { t } = useTranslation('console/user-actions')
  const plans = useGivenPlans()
  const others = ({ plan_id: present }: OneService) =>
    plans.filter(({ value }) => value !== String(present))
  return {
    key: 'change',
    icon: Replace,
    title: t('change.title'),
    permission: 'service.give',
    danger: 'R',
    isShown: (one) => runs(one) && others(one).length > 0,
    fields: (one) => [
      {
        name: 'plan_id',
        label: t('plan.plan'),
        kind: 'choice',
        options: others(one),
        initial: others(one)[0]?.value ?? '',
      },
    ],
    effect: ({ name }) => t('change.effect', { name }),
    run: ({ user_id: user, id }, { plan_id: plan, reason }) =>
      staffServiceGive({
        path: { user_id: user },
        body: { kind: 'change', service_id: id, plan_id: Number(plan), reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ name }) => t('change.done', { name }),
  }
}

function useEnd(): Action<OneService> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'end',
    icon: CircleStop,
    title: t('end.title'),
    permission: 'service.end',
    danger: 'R',
    isShown: runs,
    effect: ({ name }) => t('end.effect', { name }),
    run: ({ user_id: user, id }, { reason }) =>
      staffServiceEnd({
        path: { user_id: user, service_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ name }) => t('end.done', { name }),
  }
}
