import { useTranslation } from 'react-i18next'
import type { RefundRequestItem, ServiceItem } from '@/lib/api/gen/types.gen'
import { UnlessBanned } from '@/ui/ban-notice'
import { Moment } from '@/ui/moment'
import { TextLink } from '@/ui/text-link'
import type { useLastRequests } from '../use-last-requests'
import classes from './ended-services.module.css'

/** Ended services, collapsed. */
export function EndedServices(props: {
  services: readonly ServiceItem[]
  requestOf: ReturnType<typeof useLastRequests>
}) {
  const { t } = useTranslation('service')
  return (
    <details className={classes.fold}>
      <summary>{t('endedCount', { count: props.services.length })}</summary>
      <ul className={classes.list}>
        {props.services.map((service) => (
          <Ended
            key={service.id}
            service={service}
            request={props.requestOf('service_id', service.id)}
          />
        ))}
      </ul>
    </details>
  )
}

function Ended(props: { service: ServiceItem; request: RefundRequestItem | undefined }) {
  const { t } = useTranslation('service')
  const { id, name, ends_at, end_reason } = props.service
  return (
    <li className={classes.ended}>
      <span className={classes.name}>{name}</span>
      <span>
        {t('ended')} <Moment time={ends_at} isEnd />
        {props.request?.state === 'granted' && ` · ${t('refund.state.granted')}`}
      </span>
      {end_reason === 'expired' && (
        <UnlessBanned>
          <TextLink to="/user/services/buy" search={{ renew: id }}>
            {t('renewNamed', { name })}
          </TextLink>
        </UnlessBanned>
      )}
    </li>
  )
}
