import { Card } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order } from '@/api/gen/types.gen'
import { OrderDone } from '@/app/connect/order-done'
import { PageHeader } from '@/shared/ui/page-header'
import classes from './bought.module.css'

/** Paid and running: what it brought, and what to do next. */
export function Bought({ order, onMore }: { order: Order; onMore: () => void }) {
  const { t } = useTranslation('shop')
  return (
    <>
      <PageHeader title={t('bought.title')} />
      <Card className={classes.card}>
        <OrderDone order={order} onMore={onMore} />
      </Card>
    </>
  )
}
