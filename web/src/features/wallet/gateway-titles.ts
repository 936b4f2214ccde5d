import { useQuery } from '@tanstack/react-query'
import { gatewaysListOptions } from '@/api/gen/@tanstack/react-query.gen'

/** Gives what a gateway is called for people; its own name where it is closed by now. */
export function useGatewayTitle(): (name: string) => string {
  const { data } = useQuery({ ...gatewaysListOptions(), staleTime: 10 * 60_000 })
  return (name) => data?.find((gateway) => gateway.name === name)?.title ?? name
}
