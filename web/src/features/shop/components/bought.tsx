import { Button, Card, Group, Text } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order } from '@/api/gen/types.gen'
import { toMinor } from '@/shared/lib/money'
import { ButtonLink } from '@/shared/ui/button-link'
import { Money } from '@/shared/ui/money'
import { PageHeader } from '@/shared/ui/page-header'
import classes from './bought.module.css'

/** Paid and running: what to do next. */
export function Bought({ order, onMore }: { order: Order; onMore: () => void }) {
  const { t } = useTranslation('shop')
  return (
    <>
      <PageHeader title={t('bought.title')} />
      <Card role="status" className={classes.card}>
        <CircleCheck size={48} strokeWidth={1.5} aria-hidden="true" className={classes.icon} />
        <Text fw={600} size="lg">
          {order.name}
        </Text>
        <Text c="dimmed">
          {t('bought.text')} <Money amount={order.amount} currency={order.currency} />
        </Text>
        {toMinor(order.credit) > 0 && (
          <Text c="dimmed">
            {t('bought.credited')} <Money amount={order.credit} currency={order.currency} />
          </Text>
        )}
        <Group mt="md" justify="center">
          <ButtonLink to="/user/dashboard">{t('bought.connect')}</ButtonLink>
          <Button variant="default" onClick={onMore}>
            {t('bought.more')}
          </Button>
        </Group>
      </Card>
    </>
  )
}
