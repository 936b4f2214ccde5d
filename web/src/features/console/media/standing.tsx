import { useTranslation } from 'react-i18next'
import type { MediaAccount } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

const tones = {
  enabled: 'success',
  disabled: 'neutral',
  none: 'neutral',
  changing: 'info',
  failed: 'error',
} as const

export const standings = ['enabled', 'disabled', 'none', 'changing', 'failed'] as const

/** How an account stands; of one that is being changed, what it is to become. */
export function Standing({ account }: { account: MediaAccount }) {
  const { t } = useTranslation('console/media')
  const { standing, wanted } = account
  return (
    <StatusDot tone={tones[standing]}>
      {standing === 'changing' ? t(`becomes.${wanted}`) : t(`standing.${standing}`)}
    </StatusDot>
  )
}
