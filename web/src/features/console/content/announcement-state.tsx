import { useTranslation } from 'react-i18next'
import type { StaffAnnouncement } from '@/lib/api/gen/staff/types.gen'
import { useNow } from '@/lib/now'
import { StatusDot } from '@/ui/status-dot'
import { useOwnName } from '../parts/use-own-name'

/** Its title in the reader's language, else in any, else its number. */
export function useAnnouncementName(): (one: StaffAnnouncement) => string {
  const ownName = useOwnName()
  return ({ id, title, title_zh: zh, title_en: en }) =>
    ownName({ name: title || zh || en || `#${id}`, name_zh: zh, name_en: en })
}

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
