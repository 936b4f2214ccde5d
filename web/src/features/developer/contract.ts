import { queryOptions } from '@tanstack/react-query'
import { sendOpenly } from '@/api/client'

/** A JSON schema, as far as the contract uses it. */
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

export type Parameter = {
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
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content & { description?: string }>
  security?: unknown[]
  'x-api-token-scope'?: string
}

/** What GET /api/v2/openapi.json answers. */
export type Contract = {
  info: { version: string }
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

/** One call of the API. */
export type Operation = {
  id: string
  method: string
  path: string
  summary: string
  /** `public`, `user` or `staff`, and what of it the call is about, as in "user/wallet". */
  group: string
  needsSignIn: boolean
  /** What an API token needs for the call; undefined: only a signed-in person can make it. */
  scope: string | undefined
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

/** All calls in the order of their paths. */
export function operationsOf(contract: Contract): Operation[] {
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      summary: described.summary ?? '',
      group: groupOf(path, described.tags?.[0] ?? ''),
      needsSignIn: (described.security ?? []).length > 0,
      scope: described['x-api-token-scope'],
      parameters: described.parameters ?? [],
      body: jsonOf(described.requestBody),
      answer: jsonOf(described.responses?.['200']),
    })),
  )
}

const jsonOf = (content: Content | undefined) => content?.content?.['application/json']?.schema

function groupOf(path: string, tag: string): string {
  const [first = '', second] = path.replace('/api/v2/', '').split('/')
  return first === 'user' || first === 'staff' ? `${tag}/${second ?? first}` : `${tag}/${first}`
}

export type Group = { name: string; operations: Operation[] }

/** The operations that have all words of `query` in method, path, id or summary, by what they are about. */
export function searchGroups(operations: readonly Operation[], query: string): Group[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const { method, path, id, summary, group } = operation
    const text = `${method} ${path} ${id} ${summary}`.toLowerCase()
    if (words.every((word) => text.includes(word)))
      groups.set(group, [...(groups.get(group) ?? []), operation])
  }
  return [...groups].map(([name, found]) => ({ name, operations: found }))
}
