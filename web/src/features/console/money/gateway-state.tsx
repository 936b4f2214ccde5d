import { useTranslation } from 'react-i18next'
import type { GatewayAccount } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

/** Whether a platform sends notifies for gateways of a kind. What staff confirms by hand no platform knows of. */
export const hasNotifies = (kind: string) => kind !== 'manual'

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
