import { useQuery } from '@tanstack/react-query'
import { refundRequestsOptions } from '@/lib/api/gen/@tanstack/react-query.gen'

/** As many as the server gives at once. */
const MOST = 500

/** Gives the last wish to have a service or package given back, if there was one that its user did not take back. */
export function useLastRequests() {
  const { data } = useQuery(refundRequestsOptions({ query: { limit: MOST } }))
  return (key: 'service_id' | 'package_id', id: number) =>
    data?.requests.findLast((request) => request[key] === id && request.state !== 'withdrawn')
}
