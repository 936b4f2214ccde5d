import { queryOptions } from '@tanstack/react-query'
import {
  staffOrderGet,
  staffPaymentCaseGet,
  staffPayoutGet,
  staffPayoutsList,
  staffRechargeEvents,
  staffRechargeGet,
  staffRechargeRefundsList,
  staffRefundRequestGet,
  staffRefundRequests,
} from '@/lib/api/gen/staff/sdk.gen'
import { asksAt } from '../parts/asks-at'

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

export const requestOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'refund-requests', 'one', id],
    queryFn: async ({ signal }) =>
      (
        await staffRefundRequestGet({
          path: { request_id: Number(id) },
          signal,
          throwOnError: true,
        })
      ).data,
    staleTime,
  })

/** What a user asked to be given back, the newest last. */
export const requestsBy = (user: number) =>
  queryOptions({
    queryKey: ['console', 'refund-requests', 'by', user],
    queryFn: async ({ signal }) =>
      (await staffRefundRequests({ query: { user_id: user }, signal, throwOnError: true })).data
        .requests,
    staleTime,
  })

export const payoutOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'payouts', 'one', id],
    queryFn: async ({ signal }) =>
      (
        await staffPayoutGet({
          path: { payout_id: Number(id) },
          signal,
          throwOnError: true,
          ...asksAt('/admin/payouts'),
        })
      ).data,
    staleTime,
  })

/** The newest payouts of a user. */
export const payoutsBy = (user: number) =>
  queryOptions({
    queryKey: ['console', 'payouts', 'by', user],
    queryFn: async ({ signal }) =>
      (await staffPayoutsList({ query: { user_id: user }, signal, throwOnError: true })).data
        .payouts,
    staleTime,
  })

export const caseOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'payment-cases', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffPaymentCaseGet({ path: { case_id: Number(id) }, signal, throwOnError: true }))
        .data,
    staleTime,
  })
