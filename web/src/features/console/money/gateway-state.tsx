import { useTranslation } from 'react-i18next'
import type { GatewayAccount } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

/** Where the platform sends its notifies. */
export const notifyAddress = ({ notify_path: path }: GatewayAccount) =>
  new URL(path, location.origin).href

export function GatewayState({ gateway }: { gateway: GatewayAccount }) {
  const { t } = useTranslation('console/gateway')
  return (
    <StatusDot tone={gateway.enabled ? 'success' : 'neutral'}>
      {t(gateway.enabled ? 'state.on' : 'state.off')}
    </StatusDot>
  )
}
