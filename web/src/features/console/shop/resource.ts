import { queryOptions } from '@tanstack/react-query'
import {
  staffCdKeyRedemptions,
  staffCdKeysGet,
  staffCdKeysList,
  staffCouponGet,
  staffCouponsList,
  staffPlanGet,
  staffPlansList,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { byOffset, byPart, PART_SIZE, type Resource } from '../parts/resource'

/** All plans are one part: a shop has dozens at most. */
export const plans: Resource<StaffPlan> = {
  name: 'plans',
  keys: ['state', 'kind'],
  load: async ({ filters: { state, kind }, signal }) => {
    const query = { state, kind } as never
    return { rows: (await staffPlansList({ query, signal, throwOnError: true })).data }
  },
  rowKey: ({ id }) => id,
}

const staleTime = 5_000

export const planOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'plans', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffPlanGet({ path: { plan_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime,
  })

export const coupons = byPart({
  name: 'coupons',
  list: async (options) => {
    const { data } = await staffCouponsList(options)
    return { rows: data.coupons, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

export const couponOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'coupons', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffCouponGet({ path: { coupon_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime,
  })

export const keyBatches = byPart({
  name: 'cd-keys',
  list: async (options) => {
    const { data } = await staffCdKeysList(options)
    return { rows: data.batches, total: data.total_count }
  },
  rowKey: ({ id }) => id,
})

const batchPart = async (id: number, cursor: string | undefined, signal: AbortSignal) => {
  const { data } = await staffCdKeysGet({
    path: { batch_id: id },
    query: { limit: PART_SIZE, offset: Number(cursor ?? 0) },
    signal,
    throwOnError: true,
  })
  return data
}

export const keyBatchOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'cd-keys', 'one', id],
    queryFn: async ({ signal }) => (await batchPart(Number(id), undefined, signal)).batch,
    staleTime,
  })

/** The keys of a batch. */
export const keysOf = (id: number) => ({
  name: `cd-keys-${id}`,
  load: async ({ cursor, signal }: { cursor?: string; signal: AbortSignal }) => {
    const { batch, keys } = await batchPart(id, cursor, signal)
    return byOffset(keys, cursor, batch.size)
  },
  rowKey: (key: { id: number }) => key.id,
})

/** Who redeemed keys of a batch. */
export const redeemedOf = (id: number) =>
  byPart({
    name: `cd-keys-redeemed-${id}`,
    list: async (options) => {
      const { data } = await staffCdKeyRedemptions({ ...options, path: { batch_id: id } })
      return { rows: data.redemptions, total: data.total_count }
    },
    rowKey: (use) => use.id,
  })
