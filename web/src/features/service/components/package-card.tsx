import { Button, Card, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PackageItem, RefundRequestItem } from '@/lib/api/gen/types.gen'
import { daysUntil, lastMoment } from '@/lib/time'
import { Moment } from '@/ui/moment'
import classes from './card.module.css'
import { RefundState } from './refund'
import { Usage } from './usage'

/** A traffic package. A purchased one can be refunded. */
export function PackageCard(props: {
  item: PackageItem
  now: number
  /** The last refund request. */
  request: RefundRequestItem | undefined
  onRefund: () => void
}) {
  const { t } = useTranslation('service')
  const { item, now, request } = props
  return (
    <Card component="article" aria-label={item.name} className={classes.card}>
      <Title order={3} size="h3">
        {item.name}
      </Title>
      <Usage used={item.used_bytes} quota={item.bytes} />
      <p className={classes.quiet}>
        {item.expires_at ? (
          <>
            {t('ends')} {t('inDays', { count: daysUntil(lastMoment(item.expires_at), now) })} ·{' '}
            <Moment time={item.expires_at} isEnd />
          </>
        ) : (
          t('untilUsed')
        )}
      </p>
      {request && <RefundState request={request} />}
      {item.order_no !== null && request?.state !== 'open' && (
        <footer className={classes.foot}>
          <Button size="sm" variant="subtle" color="gray" c="dimmed" onClick={props.onRefund}>
            {t('refund.open')}
          </Button>
        </footer>
      )}
    </Card>
  )
}
