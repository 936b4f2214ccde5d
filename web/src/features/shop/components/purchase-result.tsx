import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { orderGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { OrderDone } from '@/ui/connect/order-done'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import classes from './purchase-result.module.css'

/** Shows what a paid order brought and what to do next. Its number is in the address, so that it survives a reload. */
export function PurchaseResult({ orderNo, onMore }: { orderNo: number; onMore: () => void }) {
  const { t } = useTranslation('shop')
  const result = useQuery(orderGetOptions({ path: { order_id: String(orderNo) } }))
  const isUnknown = result.error instanceof ApiError && result.error.status === 404
  if (isUnknown || (result.data && result.data.order.state !== 'paid')) return <Unknown />
  return (
    <>
      <PageHeader title={t('bought.title')} />
      <Loaded query={result} skeleton={<Skeleton height={420} radius="lg" />} hasCards>
        {({ order }) => (
          <Card className={classes.card}>
            <OrderDone order={order} onMore={onMore} />
          </Card>
        )}
      </Loaded>
    </>
  )
}

function Unknown() {
  const { t } = useTranslation('shop')
  return (
    <>
      <PageHeader title={t('mode.new.title')} />
      <Card>
        <Empty
          icon={PackageX}
          text={t('bought.unknown')}
          action={<ButtonLink to="/user/services">{t('old.mine')}</ButtonLink>}
        />
      </Card>
    </>
  )
}
