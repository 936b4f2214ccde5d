import { Button, Group, Skeleton, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'
import { useFocusFromGone } from '@/lib/focus-heading'
import { toMinor } from '@/lib/money'
import { useOrderText } from '@/lib/order-text'
import { ButtonLink } from '@/ui/button-link'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { lazyPart } from '@/lib/lazy-part'
import classes from './order-done.module.css'

const ConnectNow = lazyPart(() => import('./connect-now'), 'ConnectNow')

/** What a paid order brought, and the way on: for a new plan the button that brings the link into a client. */
export function OrderDone({ order, onMore }: { order: Order; onMore?: () => void }) {
  const { t } = useTranslation('order')
  const { done } = useOrderText()
  useFocusFromGone()
  const isNew = order.kind === 'plan'
  return (
    <div className={classes.done}>
      <CircleCheck size={48} strokeWidth={1.5} aria-hidden="true" className={classes.icon} />
      <Text role="status" fw={600} size="lg">
        {done(order)}
      </Text>
      <Facts order={order} />
      {isNew && (
        <Suspense fallback={<Skeleton height={80} maw={384} />}>
          <ConnectNow />
        </Suspense>
      )}
      <Group justify="center">
        <ButtonLink variant={isNew ? 'default' : 'filled'} to="/user/dashboard">
          {t('connect')}
        </ButtonLink>
        {onMore ? (
          <Button variant="default" onClick={onMore}>
            {t('more')}
          </Button>
        ) : (
          <ButtonLink variant="default" to="/user/services">
            {t('services')}
          </ButtonLink>
        )}
      </Group>
    </div>
  )
}

function Facts({ order }: { order: Order }) {
  const { t } = useTranslation('order')
  const { what } = useOrderText()
  return (
    <dl className={classes.facts}>
      <Fact name={t('what')}>{what(order)}</Fact>
      <Fact name={t('traffic')}>
        {order.traffic_bytes === null ? (
          t('unlimited')
        ) : (
          <>
            <Bytes bytes={order.traffic_bytes} />
            {order.kind !== 'package' && order.reset !== 'never' && ` ${t('perCycle')}`}
          </>
        )}
      </Fact>
      <Fact name={t('until')}>
        {order.ends_at === null ? t('untilUsed') : <Moment time={order.ends_at} withYear isEnd />}
      </Fact>
      {order.coupon !== '' && (
        <Fact name={t('coupon')}>
          {order.coupon} · <Money amount={`-${order.discount}`} currency={order.currency} />
        </Fact>
      )}
      {toMinor(order.credit) > 0 && (
        <Fact name={t('credit')}>
          <Money amount={order.credit} currency={order.currency} />
        </Fact>
      )}
      <Fact name={t('paid')}>
        <Money amount={order.amount} currency={order.currency} />
      </Fact>
    </dl>
  )
}
