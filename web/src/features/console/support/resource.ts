import { queryOptions } from '@tanstack/react-query'
import {
  staffCannedAnswersList,
  staffCommissionsList,
  staffGuideGet,
  staffGuides,
  staffInvites,
  staffShareAccountViewers,
  staffShareAccounts,
  staffWebhookDeliveries,
  staffWebhookDelivery,
  staffWebhookEvents,
  staffWebhooks,
} from '@/lib/api/gen/staff/sdk.gen'
import type {
  CannedAnswerItem,
  StaffGuide,
  StaffShareAccount,
  StaffWebhook,
} from '@/lib/api/gen/staff/types.gen'
import { byPart, type Resource } from '../parts/resource'
import type { ListName } from '../parts/views'

const staleTime = 5_000

/** For lists that are so short that they are read as a whole. */
const whole = <T>(name: ListName, read: (signal: AbortSignal) => Promise<T[]>): Resource<T> => ({
  name,
  rowKey: (row) => (row as { id: number }).id,
  load: async ({ signal }) => ({ rows: await read(signal) }),
})

export const guides = whole<StaffGuide>('guides', async (signal) => {
  const { data } = await staffGuides({ signal, throwOnError: true })
  return data.toSorted((one, other) => one.position - other.position || one.id - other.id)
})

export const guideOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'guides', 'one', id],
    queryFn: async ({ signal }) =>
      (await staffGuideGet({ path: { guide_id: Number(id) }, signal, throwOnError: true })).data,
    staleTime,
  })

export const cannedAnswers = whole<CannedAnswerItem>(
  'canned-answers-list',
  async (signal) =>
    (await staffCannedAnswersList({ signal, throwOnError: true })).data.canned_answers,
)

export const shareAccounts = whole<StaffShareAccount>(
  'share-accounts',
  async (signal) => (await staffShareAccounts({ signal, throwOnError: true })).data,
)

/** One share account; null where there is none with this number. */
export const shareAccountOf = (id: string) =>
  queryOptions({
    queryKey: ['console', 'share-accounts', 'one', id],
    queryFn: async ({ signal }) => {
      const { data } = await staffShareAccounts({ signal, throwOnError: true })
      return data.find((one) => String(one.id) === id) ?? null
    },
    staleTime,
  })

/** Who saw the secret of a share account. */
export const viewersOf = (id: number) =>
  byPart({
    name: `share-account-viewers-${id}`,
    list: async (options) => {
      const path = { account_id: id }
      const { data } = await staffShareAccountViewers({ ...options, path })
      return { rows: data.viewers, total: data.total_count }
    },
    rowKey: ({ user_id: user }) => user,
  })

export const commissions = byPart({
  name: 'commissions',
  keys: ['inviter_id', 'owed'],
  list: async (options) => {
    const { data } = await staffCommissionsList(options)
    return { rows: data.commissions, total: data.total_count }
  },
  rowKey: ({ no }) => no,
})

export const webhooks = whole<StaffWebhook>(
  'webhooks',
  async (signal) => (await staffWebhooks({ signal, throwOnError: true })).data,
)

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

/** Of how many days the figures may be; the first one is shown without a choice. */
export const PERIODS = ['30', '7', '90', '365'] as const

export const daysOf = (search: Record<string, unknown>) =>
  PERIODS.find((days) => days === String(search['days'])) ?? PERIODS[0]

/** What invites and check-ins of the last days brought, and what they cost. */
export const invitesOf = (days: string) =>
  queryOptions({
    queryKey: ['console', 'invites', days],
    queryFn: async ({ signal }) =>
      (await staffInvites({ query: { days: Number(days) }, signal, throwOnError: true })).data,
    staleTime,
  })
