import type { TFunction } from 'i18next'
import * as z from 'zod/mini'
import type { ApiToken } from '@/lib/api/gen/types.gen'

export const scopes = ['read', 'write', 'jobs'] as const
export type Scope = (typeof scopes)[number]

/** The lifetimes of a new token in days; empty means no end. */
export const lifetimes = ['7', '30', '90', '365', ''] as const

const DAY_MS = 86_400_000

export const expiryOf = (days: string, now: number) =>
  days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString()

export type TokenState = 'active' | 'expiring' | 'expired'

/** A token counts as expiring in its last week. */
export function stateOf(
  { expires_at: end }: Pick<ApiToken, 'expires_at'>,
  now: number,
): TokenState {
  if (end === null || Date.parse(end) > now + 7 * DAY_MS) return 'active'
  return Date.parse(end) > now ? 'expiring' : 'expired'
}

export const tokenForm = (
  t: TFunction<'developer'>,
  account: TFunction<'account'>,
  needsCode: boolean,
) =>
  z.object({
    name: z
      .string()
      .check(z.trim(), z.minLength(1, t('problem.name')), z.maxLength(64, t('problem.nameLong'))),
    scopes: z.array(z.string()).check(z.minLength(1, t('problem.scopes'))),
    days: z.string(),
    password: z.string().check(z.minLength(1, account('problem.required'))),
    ga_token: z
      .string()
      .check(z.trim(), z.minLength(needsCode ? 1 : 0, account('problem.required'))),
  })

export type TokenForm = z.infer<ReturnType<typeof tokenForm>>
