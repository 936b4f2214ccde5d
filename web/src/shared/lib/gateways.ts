import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { gatewaysListOptions } from '@/api/gen/@tanstack/react-query.gen'

const LAST_GATEWAY = 'last_gateway'

/** The ways to pay and the chosen one: the one used last in this browser, else the first, for a start. */
export function useGateways() {
  const query = useQuery({ ...gatewaysListOptions(), staleTime: 10 * 60_000 })
  const [choice, choose] = useState(() => localStorage.getItem(LAST_GATEWAY))
  const known = query.data?.find(({ name }) => name === choice) ?? query.data?.[0]
  return {
    query,
    chosen: known?.name,
    choose,
    /** To be called when one pays with it. */
    remember: () => known && localStorage.setItem(LAST_GATEWAY, known.name),
  }
}
