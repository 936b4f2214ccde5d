import { Card, Title } from '@mantine/core'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ServiceItem } from '@/api/gen/types.gen'
import { daysUntil } from '@/shared/lib/time'
import { ButtonLink } from '@/shared/ui/button-link'
import { Moment } from '@/shared/ui/moment'
import { StatusDot } from '@/shared/ui/status-dot'
import { conditionOf } from '../model'
import classes from './card.module.css'
import { Usage } from './usage'

export function ServiceCard({ service, now }: { service: ServiceItem; now: number }) {
  const { t } = useTranslation('service')
  const { tone, key } = conditionOf(service, now)
  const days = daysUntil(service.ends_at, now)
  return (
    <Card component="article" aria-label={service.name} className={classes.card}>
      <header className={classes.head}>
        <Title order={3} size="h3">
          {service.name}
        </Title>
        <StatusDot tone={tone}>{t(`condition.${key}`)}</StatusDot>
      </header>
      {service.state === 'running' && (
        <Usage used={service.used_bytes} quota={service.quota_bytes} />
      )}
      <dl className={classes.facts}>
        <div>
          <dt>{service.state === 'ended' ? t('ended') : t('ends')}</dt>
          <dd>
            {service.state === 'running' && <>{t('inDays', { count: days })} · </>}
            <Moment time={service.ends_at} />
          </dd>
        </div>
        {service.resets_at && (
          <div>
            <dt>{t('resets')}</dt>
            <dd>
              {t('inDays', { count: daysUntil(service.resets_at, now) })} ·{' '}
              <Moment time={service.resets_at} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t('limits')}</dt>
          <dd>
            {service.speed_mbps === null ? t('anySpeed') : t('speed', { mbps: service.speed_mbps })}{' '}
            ·{' '}
            {service.device_limit === null
              ? t('anyDevices')
              : t('devices', { count: service.device_limit })}
          </dd>
        </div>
      </dl>
      <footer className={classes.foot}>
        <span className={classes.renewal}>
          <RefreshCw size={16} strokeWidth={1.75} aria-hidden="true" />
          {service.auto_renew ? t('renewsItself') : t('renewsByHand')}
        </span>
        <ButtonLink
          size="sm"
          variant={key === 'running' ? 'default' : 'filled'}
          to="/user/services/buy"
          search={{ renew: service.id }}
        >
          {t('renew')}
        </ButtonLink>
      </footer>
    </Card>
  )
}
