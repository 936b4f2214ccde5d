import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { staffOrders, staffRecharges } from '@/lib/api/gen/staff/sdk.gen'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { useMay } from '../parts/permissions'
import { hasPending, type Pair, unmoved } from './merge-pair'

/**
 * Why the server would refuse the merge of two accounts, a sentence each, as far as the member may read it; the server knows
 * the rest. `isKnown` is false until all of it is read.
 */
export function useHindrances(pair: Pair | undefined): { hindrances: string[]; isKnown: boolean } {
  const { t } = useTranslation('console/user-actions')
  const may = useMay()
  const kinds = (['order', 'recharge'] as const).filter((kind) => may(`${kind}.read`))
  const { data, isFetching } = useQuery(unpaidOf(pair, kinds))
  const wordsOf = useWords(data ?? {})
  const isKnown = !isFetching
  if (!pair) return { hindrances: [], isKnown }
  const { from, into } = pair
  const lost = [...unmoved(from), ...(hasPending(from) ? [t('merge.pending')] : [])]
  const hindrances = [
    ...(lost.length > 0 ? [t('merge.unmoved', { email: from.email, names: lost.join(', ') })] : []),
    ...[from, into]
      .map((user) => ({ email: user.email, names: wordsOf(user).join(', ') }))
      .filter(({ names }) => names !== '')
      .map((what) => t('merge.hindered', what)),
  ]
  return { hindrances, isKnown }
}

/** Gives what of an account stands in the way, whether it ends or stays. */
function useWords(unpaid: Unpaid): (user: UserDetail) => string[] {
  const { t } = useTranslation('console/user-actions')
  return (user) => {
    if (user.closed_at) return [t('merge.hinder.closed')]
    const unpaidBy = (kind: Kind) =>
      (unpaid[kind] ?? []).filter((one) => one.user.id === user.id).map(({ no }) => `#${no}`)
    const [orders, recharges] = [unpaidBy('order'), unpaidBy('recharge')]
    const words = {
      staff: user.role !== '',
      ban: user.bans.some(({ ended_at: ended }) => ended === null),
      order: orders.length > 0,
      recharge: recharges.length > 0,
      payout: Number(user.wallet.paying_out) > 0,
    }
    const numbers = { order: orders.join(' '), recharge: recharges.join(' ') }
    return (['staff', 'ban', 'order', 'recharge', 'payout'] as const)
      .filter((word) => words[word])
      .map((word) => t(`merge.hinder.${word}`, numbers))
  }
}

type Kind = 'order' | 'recharge'
type Unpaid = Partial<Record<Kind, readonly { no: number; user: { id: number } }[]>>

/** The orders and recharges of both accounts that wait for money. */
const unpaidOf = (pair: Pair | undefined, kinds: readonly Kind[]) => {
  // In one order, so that the choice of who stays reads nothing again.
  const ids = pair ? [pair.from.id, pair.into.id] : []
  const user = ids.toSorted((one, other) => one - other).join()
  return queryOptions({
    queryKey: ['console', 'users', 'unpaid', user, kinds],
    queryFn: async ({ signal }): Promise<Unpaid> => {
      const options = {
        query: { user, state: 'pending', limit: 100 },
        signal,
        throwOnError: true,
      } as const
      const lists = { order: staffOrders, recharge: staffRecharges }
      const read = kinds.map(async (kind) => [kind, (await lists[kind](options)).data.rows])
      return Object.fromEntries(await Promise.all(read))
    },
    enabled: user !== '' && kinds.length > 0,
    staleTime: 0,
    retry: false,
  })
}
