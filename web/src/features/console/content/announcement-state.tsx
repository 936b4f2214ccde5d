import { useTranslation } from 'react-i18next'
import type { StaffAnnouncement } from '@/lib/api/gen/staff/types.gen'
import { useNow } from '@/lib/now'
import { StatusDot } from '@/ui/status-dot'

export const nameOf = (one: StaffAnnouncement) =>
  one.title || one.title_zh || one.title_en || `#${one.id}`

/** Whether an announcement is shown now. */
export function AnnouncementState({ announcement: one }: { announcement: StaffAnnouncement }) {
  const { t } = useTranslation('console/content')
  const now = useNow()
  if (Date.parse(one.starts_at) > now)
    return <StatusDot tone="info">{t('state.planned')}</StatusDot>
  if (one.ends_at && Date.parse(one.ends_at) <= now)
    return <StatusDot tone="neutral">{t('state.over')}</StatusDot>
  return <StatusDot tone="success">{t('state.shown')}</StatusDot>
}
