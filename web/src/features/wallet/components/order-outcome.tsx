import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { orderGetOptions } from '@/api/gen/@tanstack/react-query.gen'
import { StatusDot } from '@/shared/ui/status-dot'

const POLL_MS = 2000

const tones = {
  pending: 'info',
  paid: 'success',
  cancelled: 'warning',
  expired: 'warning',
  refunded: 'warning',
} as const

/** Whether the purchase that the recharge was for is complete. */
export function OrderOutcome({ orderNo }: { orderNo: number }) {
  const { t } = useTranslation('wallet')
  const { data } = useQuery({
    ...orderGetOptions({ path: { order_id: String(orderNo) } }),
    refetchInterval: ({ state }) => (state.data?.order.state === 'pending' ? POLL_MS : false),
  })
  if (!data) return null
  const { state, name } = data.order
  return <StatusDot tone={tones[state]}>{t(`order.${state}`, { name })}</StatusDot>
}
