import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { servicesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { ServiceItem } from '@/lib/api/gen/types.gen'
import { isolate } from '@/lib/isolate'
import { formatDateTime } from '@/lib/time'
import { useIsBanned } from '@/ui/ban-notice'
import { TextLink } from '@/ui/text-link'
import classes from '../buy-page.module.css'

/**
 * Explains that a new plan runs in addition to the existing ones, and links to changing those instead. Two of one
 * name are distinguished by when they end.
 */
export function RunningNote() {
  const { t, i18n } = useTranslation('shop')
  const isBanned = useIsBanned()
  const { data } = useQuery(servicesListOptions())
  const running = data?.services.filter(({ state }) => state === 'running') ?? []
  if (running.length === 0 || isBanned) return null
  const nameOf = ({ id, name, ends_at: end }: ServiceItem) => {
    const hasTwin = running.some((other) => other.id !== id && other.name === name)
    return hasTwin ? `${isolate(name)} (${formatDateTime(end, i18n.language)})` : name
  }
  return (
    <p className={classes.running}>
      {t('beside')}
      {running.map((service) => (
        <TextLink key={service.id} to="/user/services/buy" search={{ change: service.id }}>
          {t('changeNamed', { name: nameOf(service) })}
        </TextLink>
      ))}
    </p>
  )
}
