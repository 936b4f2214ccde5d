import { useTranslation } from 'react-i18next'
import type { StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

export function ShareState({ account: one }: { account: StaffShareAccount }) {
  const { t } = useTranslation('console/support')
  return one.is_enabled ? (
    <StatusDot tone="success">{t('shares.offered')}</StatusDot>
  ) : (
    <StatusDot tone="neutral">{t('shares.off')}</StatusDot>
  )
}
