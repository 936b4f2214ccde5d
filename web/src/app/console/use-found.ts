import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import { settingsQuery } from '@/features/console/settings/resource'
import { useMay } from '@/features/console/parts/permissions'
import { personText } from '@/features/console/parts/person-text'
import { myId } from '@/features/console/parts/use-me'
import {
  staffLinkFetches,
  staffNodesList,
  staffOrders,
  staffRecharges,
  staffTicketGet,
  staffUsers,
} from '@/lib/api/gen/staff/sdk.gen'

/** Something that was found, and where it leads. */
export type Found = {
  kind: 'users' | 'orders' | 'recharges' | 'tickets' | 'nodes' | 'fetches' | 'settings'
  label: string
  about?: string
  to: NonNullable<LinkProps['to']>
  params?: Record<string, string>
  search?: Record<string, string>
}

const MOST = 5
const TYPING_MS = 200
const SHORTEST = 2

const isNumber = (text: string) => /^#?\d{1,15}$/.test(text)
/** A UUID, or what gateways call a payment. */
const isReference = (text: string) => /^(?=.*\d)[\w-]{10,}$/.test(text)
const isAddress = (text: string) =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) || /^[\da-f]*:[\da-f:]+$/i.test(text)

type Source = {
  permission: string
  /** Whether the text could name such a thing. */
  suits: (text: string) => boolean
  find: (text: string, signal: AbortSignal, client: QueryClient) => Promise<Found[]>
}

const options = (q: string, signal: AbortSignal) =>
  ({ query: { q, limit: MOST }, signal, throwOnError: true }) as const

/** Each asks a list of the API, which finds by whole values and beginnings that have an index. */
const sources: Source[] = [
  {
    permission: 'user.read',
    suits: (text) => !isAddress(text),
    find: async (text, signal) =>
      (await staffUsers(options(text, signal))).data.rows.map(({ id, email, name }) => ({
        kind: 'users',
        label: email,
        about: name ? `#${id} · ${name}` : `#${id}`,
        to: '/admin/users/$id',
        params: { id: String(id) },
      })),
  },
  {
    permission: 'order.read',
    suits: (text) => isNumber(text) || isReference(text),
    find: async (text, signal) =>
      (await staffOrders(options(text, signal))).data.rows.map(({ no, user, plan }) => ({
        kind: 'orders',
        label: `#${no}`,
        about: [plan.name, user.email].filter(Boolean).join(' · '),
        to: '/admin/orders/$id',
        params: { id: String(no) },
      })),
  },
  {
    permission: 'recharge.read',
    suits: (text) => isNumber(text) || isReference(text),
    find: async (text, signal) =>
      (await staffRecharges(options(text, signal))).data.rows.map((one) => ({
        kind: 'recharges',
        label: `#${one.no}`,
        about: [one.user.email, one.trade_no].filter(Boolean).join(' · '),
        to: '/admin/recharges/$id',
        params: { id: String(one.no) },
      })),
  },
  {
    permission: 'ticket.read',
    suits: isNumber,
    find: async (text, signal) => {
      const path = { ticket_id: text }
      const { data } = await staffTicketGet({ path, signal, throwOnError: true })
      return [
        {
          kind: 'tickets',
          label: `#${text}`,
          about: data.ticket.title,
          to: '/admin/tickets/$id',
          params: { id: text },
        },
      ]
    },
  },
  {
    permission: 'node.read',
    suits: (text) => !isAddress(text),
    find: async (text, signal) =>
      (await staffNodesList(options(text, signal))).data.nodes.map(({ id, name, address }) => ({
        kind: 'nodes',
        label: name,
        about: address,
        to: '/admin/nodes/$id',
        params: { id: String(id) },
      })),
  },
  {
    permission: 'user.history.read',
    suits: isAddress,
    find: async (text, signal) => {
      const { data } = await staffLinkFetches({
        query: { ip: text, limit: 100 },
        signal,
        throwOnError: true,
      })
      const users = new Map(data.rows.map(({ user }) => [user.id, user.email]))
      return [...users].slice(0, MOST).map(([id, email]) => ({
        kind: 'fetches',
        label: personText({ id, email }),
        about: text,
        to: '/admin/users/$id',
        params: { id: String(id) },
      }))
    },
  },
  {
    permission: 'setting.read',
    suits: (text) => !isNumber(text) && !isAddress(text),
    find: async (text, _, client) => {
      const { settings } = await client.ensureQueryData(settingsQuery())
      const words = text.toLowerCase()
      return settings
        .filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(words))
        .slice(0, MOST)
        .map(({ name, title }) => ({
          kind: 'settings',
          label: title,
          about: name,
          to: '/admin/settings',
          search: { q: name },
        }))
    },
  },
]

/** What the member may read and the text finds; each kind that cannot be asked is left out. */
export function useFound(typed: string): Found[] {
  const may = useMay()
  const client = useQueryClient()
  const [waited] = useDebouncedValue(typed.trim(), TYPING_MS)
  const text = isNumber(waited) ? waited.replace('#', '') : waited
  const isAsked = text.length >= SHORTEST || isNumber(text)
  const { data } = useQuery({
    queryKey: ['console', 'search', text],
    queryFn: async ({ signal }) => {
      const asked = sources.filter(({ permission, suits }) => may(permission) && suits(text))
      const answers = await Promise.allSettled(asked.map(({ find }) => find(text, signal, client)))
      return answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    },
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
  return isAsked && typed.trim() !== '' ? (data ?? []) : []
}

const keyOf = () => `console-found:${myId()}`
const RECENT = 6

/** What the member opened from here last, in this tab's browser session. */
export function recentlyFound(): Found[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf()) ?? '[]') as Found[]
  } catch {
    return []
  }
}

export function keepFound(found: Found): void {
  const others = recentlyFound().filter(
    ({ kind, label }) => kind !== found.kind || label !== found.label,
  )
  try {
    sessionStorage.setItem(keyOf(), JSON.stringify([found, ...others].slice(0, RECENT)))
  } catch {
    // No room, or none allowed.
  }
}
