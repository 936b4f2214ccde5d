import { queryOptions } from '@tanstack/react-query'
import { staffPlanGet, staffPlansList } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import type { Resource } from '../parts/resource'

/** All plans are one part: a shop has dozens at most. */
export const plans: Resource<StaffPlan> = {
  name: 'plans',
  load: async ({ filters: { state, kind }, signal }) => {
    const query = { state, kind } as never
    return { rows: (await staffPlansList({ query, signal, throwOnError: true })).data }
  },
  rowKey: ({ id }) => id,
}

export const planOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'plans', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffPlanGet({ path: { plan_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
