import { useTranslation } from 'react-i18next'
import { areaName } from '../origin'

/** An address and its area, where it is known. */
export function OriginText({ ip, area }: { ip: string; area: string }) {
  const { t, i18n } = useTranslation('security')
  if (!ip) return t('device.operator')
  return [areaName(area, i18n.language), ip].filter(Boolean).join(' · ')
}
