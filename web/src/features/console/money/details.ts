import { queryOptions } from '@tanstack/react-query'
import {
  staffOrderGet,
  staffRechargeEvents,
  staffRechargeGet,
  staffRechargeRefundsList,
  staffRefundRequests,
} from '@/lib/api/gen/staff/sdk.gen'

const staleTime = 5_000

export const orderOf = (no: string) =>
  queryOptions({
    queryKey: ['console', 'orders', 'one', no],
    queryFn: async ({ signal }) =>
      (await staffOrderGet({ path: { order_no: Number(no) }, signal, throwOnError: true })).data,
    staleTime,
  })

/** What the user asked to be given back of an order. */
export const requestsOf = (no: number) =>
  queryOptions({
    queryKey: ['console', 'refund-requests', 'of', no],
    queryFn: async ({ signal }) =>
      (await staffRefundRequests({ query: { order_no: no }, signal, throwOnError: true })).data
        .requests,
    staleTime,
  })

export const rechargeOf = (no: string) =>
  queryOptions({
    queryKey: ['console', 'recharges', 'one', no],
    queryFn: async ({ signal }) =>
      (await staffRechargeGet({ path: { recharge_no: Number(no) }, signal, throwOnError: true }))
        .data,
    staleTime,
  })

/** What the gateway sent, as it came. */
export const eventsOf = (no: number) =>
  queryOptions({
    queryKey: ['console', 'recharges', 'events', no],
    queryFn: async ({ signal }) =>
      (await staffRechargeEvents({ path: { recharge_no: no }, signal, throwOnError: true })).data
        .events,
    staleTime,
  })

export const returnsOf = (no: number) =>
  queryOptions({
    queryKey: ['console', 'recharges', 'refunds', no],
    queryFn: async ({ signal }) =>
      (
        await staffRechargeRefundsList({
          query: { recharge_no: no },
          signal,
          throwOnError: true,
        })
      ).data.refunds,
    staleTime,
  })
