import { queryOptions } from '@tanstack/react-query'
import { sendOpenly } from '@/lib/api/client'

/** The subset of JSON Schema that the contract uses. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  oneOf?: Schema[]
  additionalProperties?: Schema | boolean
}

type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

type Content = { content?: Record<string, { schema?: Schema }> }
type Described = {
  operationId: string
  summary?: string
  'x-summary-zh-CN'?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content & { description?: string }>
  security?: unknown[]
  'x-api-token-scope'?: string
  'x-permission'?: string
}

/** The answer of GET /api/v2/openapi.json. */
export type Contract = {
  info: { version: string }
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

/** Topics of the users' operations by a segment of their path; `reference.topic` of the texts names them. */
const topics = {
  account: 'account',
  announcements: 'announcements',
  auth: 'auth',
  'captcha-key': 'captcha',
  'captcha-key-v2': 'captcha',
  'captcha-key-v2-consume': 'captcha',
  'captcha-key-v2-verify': 'captcha',
  crisp_data: 'chat',
  csrf: 'auth',
  dashboard: 'dashboard',
  developer: 'developer',
  get_me: 'account',
  get_old_service: 'older',
  guides: 'guides',
  invite: 'invite',
  notices: 'notices',
  orders: 'orders',
  'refund-requests': 'orders',
  services: 'services',
  'services-old': 'older',
  shop: 'shop',
  'shop-old': 'older',
  setup: 'auth',
  site: 'site',
  system: 'announcements',
  'ticket-attachments': 'tickets',
  'tickets-v2': 'tickets',
  tools: 'traffic',
  user: 'account',
  wallet: 'wallet',
} as const

type Topic = (typeof topics)[keyof typeof topics] | 'other'
/** Topics of the staff operations, as in "staff/nodes". */
type StaffGroup = `staff/${string}`

export const isStaffs = (group: Operation['group']): group is StaffGroup =>
  group.startsWith('staff/')

/** One operation of the API. */
export type Operation = {
  id: string
  method: string
  path: string
  /** By language. */
  summary: { en: string; 'zh-CN': string }
  group: Topic | StaffGroup
  needsSignIn: boolean
  /** The scope that an API token needs; undefined if only a signed-in user can call it. */
  scope: string | undefined
  /** The permission that staff need; undefined for operations of users. */
  permission: string | undefined
  parameters: Parameter[]
  body: Schema | undefined
  answer: Schema | undefined
}

export const contractOptions = () =>
  queryOptions({
    queryKey: ['contract'],
    queryFn: async ({ signal }) => {
      const url = new URL('/api/v2/openapi.json', location.origin)
      return (await (await sendOpenly(new Request(url, { signal }))).json()) as Contract
    },
    staleTime: Infinity,
  })

/** All operations, sorted by path. */
export function operationsOf(contract: Contract): Operation[] {
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      summary: {
        en: described.summary ?? '',
        'zh-CN': described['x-summary-zh-CN'] ?? described.summary ?? '',
      },
      group: groupOf(path, described.tags?.[0] ?? ''),
      needsSignIn: (described.security ?? []).length > 0,
      scope: described['x-api-token-scope'],
      permission: described['x-permission'],
      parameters: described.parameters ?? [],
      body: jsonOf(described.requestBody),
      answer: jsonOf(described.responses?.['200']),
    })),
  )
}

const jsonOf = (content: Content | undefined) => content?.content?.['application/json']?.schema

function groupOf(path: string, tag: string): Operation['group'] {
  const [first = '', second = first] = path.replace('/api/v2/', '').split('/')
  const part = first === 'user' || first === 'staff' ? second : first
  if (tag === 'staff') return `staff/${part}`
  const topic = Object.entries(topics).find(([name]) => name === part)?.[1]
  return topic ?? 'other'
}

export const summaryIn = (language: string, { summary }: Operation) =>
  summary[language === 'en' ? 'en' : 'zh-CN']

export type Group = { name: Operation['group']; operations: Operation[] }

/** The operations that contain all words of `query` in method, path, id, permission or summary, grouped by topic. */
export function searchGroups(operations: readonly Operation[], query: string): Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<Operation['group'], Operation[]>()
  for (const operation of operations) {
    const { method, path, id, permission = '', summary, group } = operation
    const said = [method, path, id, permission, ...Object.values(summary)]
    const text = said.join(' ').toLowerCase()
    if (words.every((word) => text.includes(word)))
      groups.set(group, [...(groups.get(group) ?? []), operation])
  }
  return [...groups].map(([name, found]) => ({ name, operations: found }))
}
