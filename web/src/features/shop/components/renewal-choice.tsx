import { useQuery } from '@tanstack/react-query'
import { Store } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  servicesOldBillsOfOptions,
  shopPlansOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { BillItem, OrderItem as Order } from '@/lib/api/gen/types.gen'
import { ApiError } from '@/lib/api/errors'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { ChoiceSkeleton } from './choice-skeleton'
import { NoService } from './no-service'
import { PlanChoice } from './plan-choice'

/** Renewals neither need stock nor count towards the limit per user. */
const noObstacle = () => undefined

/** The number of months of the last paid purchase or renewal of the service. */
const lastPeriod = (bills: readonly BillItem[] = []) =>
  bills.filter(({ state }) => state === 'paid').toSorted((a, b) => b.no - a.no)[0]?.months

/** Offers the plan of an existing service for another period, even if it is no longer on sale to others. */
export function RenewalChoice(props: {
  serviceId: number
  previousOrder: Order | undefined
  onBought: (orderNo: number) => Promise<void>
}) {
  const { t } = useTranslation('shop')
  const { serviceId } = props
  const plans = useQuery(shopPlansOptions({ query: { renew_service_id: serviceId } }))
  const bills = useQuery(servicesOldBillsOfOptions({ path: { service_id: serviceId } }))
  if (plans.error instanceof ApiError && plans.error.status === 404) return <NoService />
  if (bills.isPending && bills.failureCount === 0) return <ChoiceSkeleton cards={1} />
  return (
    <Loaded query={plans} skeleton={<ChoiceSkeleton cards={1} />} hasCards>
      {(found) =>
        found.some((plan) => plan.renewable) ? (
          <PlanChoice
            plans={found}
            service={{ renewServiceId: serviceId }}
            period={lastPeriod(bills.data?.bills)}
            obstacleOf={noObstacle}
            previousOrder={props.previousOrder}
            onBought={props.onBought}
          />
        ) : (
          <Empty
            icon={Store}
            text={t('notRenewable')}
            action={<ButtonLink to="/user/services/buy">{t('otherPlans')}</ButtonLink>}
          />
        )
      }
    </Loaded>
  )
}
