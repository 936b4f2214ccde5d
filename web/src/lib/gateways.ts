import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { gatewaysListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { GatewaysListData } from '@/lib/api/gen/types.gen'

const LAST_GATEWAY = 'last_gateway'

/** The ways to pay, as a route loads them together with the code of its page. */
export const gatewaysOf = (asked: NonNullable<GatewaysListData['query']> = {}) => ({
  ...gatewaysListOptions({ query: asked }),
  staleTime: 10 * 60_000,
})

/**
 * The ways to pay and the chosen one: the one used last in this browser, else the first, for a start. Asked about an
 * amount, or a sum that is missing, each says what that costs there; those where it can't be paid are not chosen.
 */
export function useGateways(asked: NonNullable<GatewaysListData['query']> = {}) {
  const query = useQuery(gatewaysOf(asked))
  const [choice, choose] = useState(() => localStorage.getItem(LAST_GATEWAY))
  const isAsked = asked.amount !== undefined || asked.missing !== undefined
  const fitting = query.data?.filter(({ charge }) => !isAsked || charge)
  const known = fitting?.find(({ name }) => name === choice) ?? fitting?.[0]
  return {
    query,
    isAsked,
    chosen: known?.name,
    /** What is paid with the chosen one, its fee in it. */
    charge: known?.charge,
    choose,
    /** To be called when one pays with it. */
    remember: () => known && localStorage.setItem(LAST_GATEWAY, known.name),
  }
}
