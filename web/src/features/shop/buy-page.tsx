import { Card, SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Store } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { servicesListOptions, shopPlansOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'
import { OwnBan } from '@/ui/ban-notice'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { WaitForQueries } from '@/ui/wait-for-queries'
import { ChangeChoice } from './components/change-choice'
import { ChoiceSkeleton } from './components/choice-skeleton'
import { PackageChoice } from './components/package-choice'
import { PlanChoice } from './components/plan-choice'
import { RenewalChoice } from './components/renewal-choice'
import { PurchaseResult } from './components/purchase-result'
import { RunningNote } from './components/running-note'
import { usePreviousOrder } from './components/use-previous-order'
import { WaitingOrder } from './components/waiting-order'

const route = getRouteApi('/user/services/buy')

export function BuyPage() {
  const { t } = useTranslation('shop')
  const { renew, change, again, kind, done } = route.useSearch()
  const navigate = route.useNavigate()
  const mode = renew ? 'renew' : change ? 'change' : 'new'
  const { previousOrder, isLoading } = usePreviousOrder(again)
  const showResult = (orderNo: number) =>
    navigate({ search: { kind, done: orderNo }, replace: true })
  const choice = { previousOrder, onBought: showResult }
  if (done !== undefined) {
    return <PurchaseResult orderNo={done} onMore={() => void navigate({ search: { kind } })} />
  }
  return (
    <>
      <PageHeader
        title={t(`mode.${mode}.title`)}
        about={t(`mode.${mode}.about`)}
        action={mode === 'new' && <KindControl />}
      />
      <OwnBan />
      <WaitingOrder />
      {isLoading ? (
        <ChoiceSkeleton />
      ) : (
        <>
          {renew && <RenewalChoice serviceId={renew} {...choice} />}
          {!renew && change && <ChangeChoice serviceId={change} {...choice} />}
          {mode === 'new' && <Catalogue {...choice} />}
        </>
      )}
    </>
  )
}

function Catalogue(choice: {
  previousOrder: Order | undefined
  onBought: (orderNo: number) => Promise<void>
}) {
  const { t } = useTranslation('shop')
  const { kind } = route.useSearch()
  const shop = useQuery(shopPlansOptions())
  const services = useQuery(servicesListOptions())
  return (
    <Loaded query={shop} skeleton={<ChoiceSkeleton />} hasCards>
      {(items) => {
        const onSale = items.filter((item) => item.kind === kind)
        if (onSale.length === 0) {
          return (
            <Card>
              <Empty icon={Store} text={kind === 'package' ? t('noPackages') : t('noPlans')} />
            </Card>
          )
        }
        if (kind === 'package') return <PackageChoice packages={onSale} {...choice} />
        return (
          <WaitForQueries queries={[services]} skeleton={<ChoiceSkeleton />}>
            <RunningNote />
            <PlanChoice plans={onSale} {...choice} />
          </WaitForQueries>
        )
      }}
    </Loaded>
  )
}

function KindControl() {
  const { t } = useTranslation('shop')
  const { kind } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <SegmentedControl
      withItemsBorders={false}
      aria-label={t('kind.label')}
      value={kind}
      onChange={(value) =>
        void navigate({
          search: ({ coupon }) => ({ kind: value === 'package' ? 'package' : 'plan', coupon }),
          replace: true,
        })
      }
      data={[
        { value: 'plan', label: t('kind.plan') },
        { value: 'package', label: t('kind.package') },
      ]}
    />
  )
}
