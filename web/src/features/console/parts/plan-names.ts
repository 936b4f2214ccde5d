import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { staffPlansList } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import type { Option } from './option'
import { loadWhereMay, useMay } from './permissions'
import { useOwnName } from './use-own-name'

const plansInShop = () =>
  queryOptions({
    queryKey: ['console', 'plans', 'names'],
    queryFn: async ({ signal }) => (await staffPlansList({ signal, throwOnError: true })).data,
    staleTime: 60_000,
  })

/** For routes of pages that name plans. */
export const loadPlanNames = (client: QueryClient) =>
  loadWhereMay(client, 'plan.read', () => client.prefetchQuery(plansInShop()))

/** The plan's names in all languages, by which it is found. */
export const namesOf = (plan: StaffPlan) => [plan.name, plan.name_zh, plan.name_en].join(' ')

function usePlans(isWanted = true) {
  const may = useMay()
  const isReadable = isWanted && may('plan.read')
  const { data, isError } = useQuery({ ...plansInShop(), enabled: isReadable })
  return { plans: data, isReadable: isReadable && (data !== undefined || !isError) }
}

/** Gives the name of a plan by its number; undefined where it is archived or the member may not read plans. */
export function usePlanName(): (id: number | undefined) => string | undefined {
  const { plans } = usePlans()
  const ownName = useOwnName()
  return (id) => {
    const plan = plans?.find((one) => one.id === id)
    return plan && ownName(plan)
  }
}

const nothing: readonly number[] = []

/**
 * The plans and packages of the shop to choose from, and those chosen before that are archived; undefined where the member
 * cannot read them and has to know their numbers.
 */
export function usePlanOptions(
  of: { kind?: StaffPlan['kind']; chosen?: readonly number[]; isWanted?: boolean } = {},
): Option[] | undefined {
  const { kind, chosen = nothing, isWanted } = of
  const { plans, isReadable } = usePlans(isWanted)
  const ownName = useOwnName()
  if (!isReadable) return undefined
  const known = plans ?? []
  const offered = known
    .filter((plan) => !kind || plan.kind === kind)
    .map((plan) => ({
      value: String(plan.id),
      label: `${ownName(plan)} (#${plan.id})`,
      also: namesOf(plan),
    }))
  const others = chosen
    .filter((id) => !offered.some(({ value }) => value === String(id)))
    .map((id) => ({ value: String(id), label: `#${id}` }))
  return [...offered, ...others]
}
