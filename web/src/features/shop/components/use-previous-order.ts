import { useQuery } from '@tanstack/react-query'
import { orderGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'

/** Loads the order that is repeated; none without a number. */
export function usePreviousOrder(no: number | undefined): {
  previousOrder: Order | undefined
  isLoading: boolean
} {
  const { data, isLoading } = useQuery({
    ...orderGetOptions({ path: { order_id: String(no) } }),
    enabled: no !== undefined,
  })
  return { previousOrder: data?.order, isLoading }
}
