import { useTranslation } from 'react-i18next'
import type { StaffGuide } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

/** Its title in any language, else its address. */
export const guideName = (one: StaffGuide) => one.title || one.title_zh || one.title_en || one.slug

export function GuideState({ guide }: { guide: StaffGuide }) {
  const { t } = useTranslation('console/support')
  return guide.is_published ? (
    <StatusDot tone="success">{t('guides.published')}</StatusDot>
  ) : (
    <StatusDot tone="neutral">{t('guides.draft')}</StatusDot>
  )
}
