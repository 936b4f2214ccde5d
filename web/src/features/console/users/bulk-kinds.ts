import type { BulkJob } from '@/lib/api/gen/staff/types.gen'

export type BulkKind = BulkJob['kind']

/** Users by their numbers, or all that a filter of the list finds. */
export type Chosen = { ids: number[] } | { filter: string }

/** What can be done to many users at once, and what a member needs for it besides `user.bulk`. */
export const bulkKinds: { kind: BulkKind; permission: string }[] = [
  { kind: 'traffic', permission: 'traffic.grant' },
  { kind: 'extend', permission: 'service.give' },
  { kind: 'reset', permission: 'service.give' },
  { kind: 'balance', permission: 'money.adjustment.make' },
  { kind: 'label', permission: 'user.label' },
  { kind: 'unlabel', permission: 'user.label' },
  { kind: 'ban', permission: 'user.ban' },
]
