import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { servicesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { useIsBanned } from '@/ui/ban-notice'
import { TextLink } from '@/ui/text-link'
import classes from '../buy-page.module.css'

/** Explains that a new plan runs in addition to the existing ones, and links to changing those instead. */
export function RunningNote() {
  const { t } = useTranslation('shop')
  const isBanned = useIsBanned()
  const { data } = useQuery(servicesListOptions())
  const running = data?.services.filter(({ state }) => state === 'running') ?? []
  if (running.length === 0 || isBanned) return null
  return (
    <p className={classes.running}>
      {t('beside')}
      {running.map(({ id, name }) => (
        <TextLink key={id} to="/user/services/buy" search={{ change: id }}>
          {t('changeNamed', { name })}
        </TextLink>
      ))}
    </p>
  )
}
