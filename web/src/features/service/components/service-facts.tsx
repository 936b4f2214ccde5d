import { useTranslation } from 'react-i18next'
import type { ServiceItem } from '@/lib/api/gen/types.gen'
import { daysUntil, lastMoment } from '@/lib/time'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Moment } from '@/ui/moment'

/** The end of a service, the next reset of its traffic, and its limits. */
export function ServiceFacts({ service, now }: { service: ServiceItem; now: number }) {
  const { t } = useTranslation('service')
  return (
    <Facts>
      <Fact name={t('ends')}>
        {t('inDays', { count: daysUntil(lastMoment(service.ends_at), now) })} ·{' '}
        <Moment time={service.ends_at} isEnd />
      </Fact>
      {service.resets_at && (
        <Fact name={t('resets')}>
          {t('inDays', { count: daysUntil(service.resets_at, now) })} ·{' '}
          <Moment time={service.resets_at} />
        </Fact>
      )}
      <div>
        <dt>{t('limits')}</dt>
        <dd>
          {service.speed_mbps === null ? t('anySpeed') : t('speed', { mbps: service.speed_mbps })}
        </dd>
        <dd>
          {service.device_limit === null
            ? t('anyDevices')
            : t('devices', { count: service.device_limit })}
        </dd>
      </div>
    </Facts>
  )
}
