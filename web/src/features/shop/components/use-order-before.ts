import { useQuery } from '@tanstack/react-query'
import { orderGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'

/** The order with this number, which is made again; without a number none. */
export function useOrderBefore(no: number | undefined): {
  before: Order | undefined
  isLoading: boolean
} {
  const { data, isLoading } = useQuery({
    ...orderGetOptions({ path: { order_id: String(no) } }),
    enabled: no !== undefined,
  })
  return { before: data?.order, isLoading }
}
