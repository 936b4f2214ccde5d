import { queryOptions } from '@tanstack/react-query'
import { staffUserGet } from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { findUser } from '../parts/find-user'

/** Two accounts of one person: the one that ends, and the one that stays. */
export type Pair = { from: UserDetail; into: UserDetail }

/** The user with this e-mail or number; null: there is none. */
export const typedUser = (typed: string) =>
  queryOptions({
    queryKey: ['console', 'users', 'typed', typed],
    queryFn: async ({ signal }): Promise<UserDetail | null> => {
      const row = await findUser(typed, signal)
      if (!row) return null
      const { data } = await staffUserGet({
        path: { user_id: row.id },
        signal,
        throwOnError: true,
      })
      return data
    },
    enabled: typed !== '',
    staleTime: 0,
    retry: false,
  })

export const running = ({ services }: UserDetail) =>
  services.filter(({ ended_at: ended }) => ended === null)

/**
 * What the account that ends would lose, by name: services and packages do not move, so that the server refuses the merge.
 * Traffic from check-ins ends with the account.
 */
export const unmoved = (from: UserDetail): string[] => [
  ...running(from).map(({ name, id }) => `${name} #${id}`),
  ...from.packages
    .filter(({ kind }) => kind !== 'checkin')
    .filter(({ bytes, used_bytes: used, expires_at: ends }) => used < bytes && !isPast(ends))
    .map(({ name, id }) => `${name} #${id}`),
]

/** Whether people whom the account invited earned it commission that is not released: it does not move either. */
export const hasPending = ({ wallet }: UserDetail) => Number(wallet.pending) > 0

const isPast = (time: string | null) => time !== null && Date.parse(time) <= Date.now()

/** The two accounts, of which the one with this number stays; where it is neither's, the one that is proposed to. */
export function pairOf(one: UserDetail, other: UserDetail, stays: number): Pair {
  const into = [one, other].find(({ id }) => id === stays) ?? proposedToStay(one, other)
  return { from: into === one ? other : one, into }
}

/** Which of the two is proposed to stay: the one that alone has a service, since services do not move; else the older one. */
function proposedToStay(one: UserDetail, other: UserDetail): UserDetail {
  const [older, newer] = one.id < other.id ? [one, other] : [other, one]
  return running(older).length === 0 && running(newer).length > 0 ? newer : older
}
