import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  serviceAutoRenewMutation,
  serviceRenewalsQueryKey,
  servicesListQueryKey,
  walletPurchaseRecordsQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'

/** Turns the automatic renewal of a service on and off. It is pending until the page shows the server's new state. */
export function useAutoRenew(serviceId: number) {
  const queryClient = useQueryClient()
  const change = useMutation({
    ...serviceAutoRenewMutation(),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: servicesListQueryKey() }),
        queryClient.invalidateQueries({ queryKey: serviceRenewalsQueryKey() }),
        queryClient.invalidateQueries({ queryKey: walletPurchaseRecordsQueryKey() }),
      ]),
  })
  return {
    isPending: change.isPending,
    problem: change.error,
    set: (isOn: boolean) =>
      change.mutate({ path: { service_id: serviceId }, body: { auto_renew: isOn } }),
    agree: (price: string) =>
      change.mutate({ path: { service_id: serviceId }, body: { auto_renew: true, price } }),
  }
}
