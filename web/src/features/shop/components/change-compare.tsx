import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan, ServiceItem } from '@/lib/api/gen/types.gen'
import { lastMoment, startOfDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { Moment } from '@/ui/moment'
import type { Purchase } from '../quote'
import classes from './change-compare.module.css'
import { useQuote } from './use-quote'

/** The service that a change of plan ends, and the plan that replaces it. */
export type Change = { service: ServiceItem; plan: Plan }

/** Compares them with the end date of the current quote. */
export function QuotedCompare(props: Change & { purchase: Purchase; coupon: string | undefined }) {
  const { query } = useQuote(props.purchase, props.coupon)
  return <ChangeCompare {...props} until={query.data?.ends_at ?? null} />
}

/** Compares the service that ends with the plan that replaces it, and marks what becomes less or more. */
export function ChangeCompare(props: Change & { until: string | null }) {
  const { t } = useTranslation('shop')
  const { service, plan, until } = props
  const mbps = (limit: number | null) =>
    limit === null ? t('trait.anySpeed') : t('trait.speed', { mbps: limit })
  const devices = (limit: number | null) =>
    limit === null ? t('trait.anyDevices') : t('trait.devices', { count: limit })
  return (
    <table className={classes.compare} aria-label={t('change.compare')}>
      <thead>
        <tr>
          <th scope="col" aria-label={t('kind.label')} />
          <th scope="col">{t('change.before')}</th>
          <th scope="col">{t('change.after')}</th>
        </tr>
      </thead>
      <tbody>
        <Row name={t('change.plan')} before={service.name} after={plan.name} />
        <Row
          name={t('old.traffic')}
          before={<Quota bytes={service.quota_bytes} />}
          after={<Quota bytes={plan.traffic_bytes} />}
          limits={[service.quota_bytes, plan.traffic_bytes]}
        />
        <Row
          name={t('old.speed')}
          before={mbps(service.speed_mbps)}
          after={mbps(plan.speed_mbps)}
          limits={[service.speed_mbps, plan.speed_mbps]}
        />
        <Row
          name={t('old.devices')}
          before={devices(service.device_limit)}
          after={devices(plan.devices)}
          limits={[service.device_limit, plan.devices]}
        />
        <Row
          name={t('summary.until')}
          before={<Moment time={service.ends_at} withYear isEnd />}
          after={until === null ? '…' : <Moment time={until} withYear isEnd />}
          limits={until === null ? undefined : [dayOf(service.ends_at), dayOf(until)]}
          less={t('change.shorter')}
          more={t('change.longer')}
        />
      </tbody>
    </table>
  )
}

function Quota({ bytes }: { bytes: number | null }) {
  const { t } = useTranslation('shop')
  return bytes === null ? t('trait.anyTraffic') : <Bytes bytes={bytes} />
}

/** End dates are compared by day: a difference of hours is no difference to the user. */
const dayOf = (end: string) => startOfDay(lastMoment(end))

/** No limit counts as more than any limit. */
const size = (limit: number | null) => limit ?? Infinity

function Row(props: {
  name: string
  before: ReactNode
  after: ReactNode
  limits?: readonly [before: number | null, after: number | null] | undefined
  less?: string
  more?: string
}) {
  const { t } = useTranslation('shop')
  const [before, after] = props.limits ?? [null, null]
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <td>{props.before}</td>
      <td>
        {props.after}
        {size(after) < size(before) && (
          <span className={classes.less}>{props.less ?? t('change.less')}</span>
        )}
        {size(after) > size(before) && (
          <span className={classes.better}>{props.more ?? t('change.more')}</span>
        )}
      </td>
    </tr>
  )
}
