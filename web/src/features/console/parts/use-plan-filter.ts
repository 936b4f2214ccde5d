import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { staffPlansList } from '@/lib/api/gen/staff/sdk.gen'
import type { Filter } from './filters'
import { useMay } from './permissions'
import { namesOf } from './plan-names'
import { useFilterOpened } from './use-filter-opened'
import { useOwnName } from './use-own-name'

const plansOfAllTimes = () =>
  queryOptions({
    queryKey: ['console', 'plans', 'names', 'all'],
    queryFn: async ({ signal }) => {
      const [current, archived] = await Promise.all([
        staffPlansList({ signal, throwOnError: true }),
        staffPlansList({ query: { state: 'archived' }, signal, throwOnError: true }),
      ])
      return [...current.data, ...archived.data]
    },
    staleTime: 60_000,
  })

/**
 * The filter of a list by plans and packages, or by plans alone. They are loaded once the filter is set or opened. A
 * member who may not read them types their numbers.
 */
export function usePlanFilter(of: { isPlan?: boolean; hasNone?: boolean } = {}): Filter {
  const { t } = useTranslation('console/parts')
  const { isOpened, onOpen } = useFilterOpened('plan')
  const isReadable = useMay()('plan.read')
  const { data = [], isError } = useQuery({
    ...plansOfAllTimes(),
    enabled: isReadable && isOpened,
  })
  const ownName = useOwnName()
  if (!isReadable || isError) return { key: 'plan', title: t('filter.planNo'), kind: 'reference' }
  const nameOf = (plan: (typeof data)[number]) =>
    plan.state === 'archived' ? t('filter.archivedPlan', { name: ownName(plan) }) : ownName(plan)
  const options = data
    .filter(({ kind }) => !of.isPlan || kind === 'plan')
    .map((plan) => ({
      value: String(plan.id),
      label: nameOf(plan),
      also: namesOf(plan),
    }))
  const none = of.hasNone ? [{ value: 'none', label: t('filter.noPlan') }] : []
  return {
    key: 'plan',
    title: t('filter.plan'),
    kind: 'choice',
    options: [...options, ...none],
    onOpen,
  }
}
