import { queryOptions } from '@tanstack/react-query'
import {
  staffWebhookDeliveries,
  staffWebhookDelivery,
  staffWebhookEvents,
  staffWebhooks,
} from '@/lib/api/gen/staff/sdk.gen'
import type { StaffWebhook } from '@/lib/api/gen/staff/types.gen'
import { byPart, type Resource } from '../parts/resource'

const staleTime = 5_000

export const webhooks: Resource<StaffWebhook> = {
  name: 'webhooks',
  load: async ({ signal }) => ({
    rows: (await staffWebhooks({ signal, throwOnError: true })).data,
  }),
  rowKey: ({ id }) => id,
}

/** One webhook; null where there is none with this number. */
export const webhookOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'webhooks', 'one', id],
    queryFn: async ({ signal }) => {
      const { data } = await staffWebhooks({ signal, throwOnError: true })
      return data.find((one) => String(one.id) === id) ?? null
    },
    staleTime,
  })

/** What webhooks may hear of, in words. */
export const eventsQuery = () =>
  queryOptions({
    queryKey: ['console', 'webhooks', 'events'],
    queryFn: async ({ signal }) => (await staffWebhookEvents({ signal, throwOnError: true })).data,
    staleTime: 3_600_000,
  })

export const deliveriesOf = (id: number) =>
  byPart({
    name: `webhook-deliveries-${id}`,
    keys: ['state', 'type'],
    list: async (options) => {
      const { data } = await staffWebhookDeliveries({ ...options, path: { webhook_id: id } })
      return { rows: data.deliveries, total: data.total_count }
    },
    rowKey: ({ id: delivery }) => delivery,
  })

export const deliveryOf = (webhook: number, delivery: string) =>
  queryOptions({
    queryKey: ['console', 'webhooks', 'delivery', webhook, delivery],
    queryFn: async ({ signal }) => {
      const path = { webhook_id: webhook, delivery_id: Number(delivery) }
      return (await staffWebhookDelivery({ path, signal, throwOnError: true })).data
    },
    staleTime,
  })
