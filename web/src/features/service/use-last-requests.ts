import { type QueryClient, useQuery } from '@tanstack/react-query'
import {
  refundRequestsOptions,
  refundRequestsQueryKey,
  servicesListQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'

/** The largest page that the server returns. */
const MAX_REQUESTS = 500

/** Returns a function that finds the last refund request of a service or package that was not withdrawn. */
export function useLastRequests() {
  const { data } = useQuery(refundRequestsOptions({ query: { limit: MAX_REQUESTS } }))
  return (key: 'service_id' | 'package_id', id: number) =>
    data?.requests.findLast((request) => request[key] === id && request.state !== 'withdrawn')
}

/** Reads the requests again, and the services: one whose refund staff granted has ended. */
export const reloadRefunds = (client: QueryClient) =>
  Promise.all(
    [refundRequestsQueryKey(), servicesListQueryKey()].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  )
