import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import {
  staffOrderGet,
  staffOrderMake,
  staffRechargeConfirm,
  staffServiceGive,
  staffTrafficGive,
} from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { toast } from '@/ui/toast'
import type { FormValues } from '../parts/resource-form'
import { bodyOf, type Wanted } from './order-values'

type Made = { order?: number; waits: boolean }

const isWaiting = (error: unknown) =>
  error instanceof ApiError && error.code === 'second_member_needed'

/** Makes an order for a user, and leads to what came of it; `leave` says that it was made besides. */
export function useMakeOrder(user: UserDetail) {
  const { t } = useTranslation('console/order')
  const navigate = useNavigate()
  const [key] = useState(newIdempotencyKey)
  const made = useRef<Made>({ waits: false })

  const make = async (values: FormValues, wanted: Wanted, gateway: string) => {
    const headers = { 'Idempotency-Key': key }
    const reason = String(values.reason).trim()
    try {
      if (wanted.pay === 'free') {
        await give(user.id, wanted, reason, headers)
        return
      }
      const { data } = await staffOrderMake({
        path: { user_id: user.id },
        body: bodyOf(values, wanted, gateway),
        headers,
        throwOnError: true,
      })
      made.current.order = data.order_no
      if (wanted.pay === 'paid') await confirm(data.order_no, reason)
    } catch (error) {
      if (!isWaiting(error)) throw error
      made.current.waits = true
    }
  }
  const lead = () => {
    const { order } = made.current
    if (order === undefined)
      void navigate({ to: '/admin/users/$id', params: { id: String(user.id) } })
    else void navigate({ to: '/admin/orders/$id', params: { id: String(order) } })
  }
  const leave = () => {
    void toast('success', t(made.current.waits ? 'waits' : 'made'))
    lead()
  }
  return { make, leave, lead }
}

/** What is free is a gift: time of a plan, or traffic. */
async function give(
  user: number,
  { plan, months, renews, changes }: Wanted,
  reason: string,
  headers: { 'Idempotency-Key': string },
) {
  const path = { user_id: user }
  if (plan.kind === 'package') {
    const body = { bytes: plan.traffic_bytes ?? 0, name: plan.name, reason }
    await staffTrafficGive({ path, body, headers, throwOnError: true })
    return
  }
  const body =
    changes !== undefined
      ? { kind: 'change' as const, service_id: changes, plan_id: plan.id, reason }
      : renews !== undefined
        ? { kind: 'extend' as const, service_id: renews, months, reason }
        : { kind: 'start' as const, plan_id: plan.id, months, reason }
  await staffServiceGive({ path, body, headers, throwOnError: true })
}

/** Says that an order was paid past its gateway. */
async function confirm(order: number, reason: string) {
  const { data } = await staffOrderGet({ path: { order_no: order }, throwOnError: true })
  if (data.recharge_no === null || data.state !== 'pending') return
  await staffRechargeConfirm({
    path: { recharge_no: data.recharge_no },
    body: { outside: true, reason: reason.slice(0, 200) },
    throwOnError: true,
  })
}
