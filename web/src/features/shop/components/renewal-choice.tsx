import { useQuery } from '@tanstack/react-query'
import { Store } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { shopPlansOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order } from '@/api/gen/types.gen'
import { ButtonLink } from '@/shared/ui/button-link'
import { Empty } from '@/shared/ui/empty'
import { Loaded } from '@/shared/ui/loaded'
import { ChoiceSkeleton } from './choice-skeleton'
import { PlanChoice } from './plan-choice'

/** Renewals take no stock and count for no limit. */
const noObstacle = () => undefined

/** The plan of a service one has, for another period; it may no longer be on sale to others. */
export function RenewalChoice(props: {
  serviceId: number
  before: Order | undefined
  onBought: (order: Order) => void
}) {
  const { t } = useTranslation('shop')
  const plans = useQuery(shopPlansOptions({ query: { renew_service_id: props.serviceId } }))
  return (
    <Loaded query={plans} skeleton={<ChoiceSkeleton cards={1} />} hasCards>
      {(found) =>
        found.some((plan) => plan.renewable) ? (
          <PlanChoice
            plans={found}
            service={{ renewServiceId: props.serviceId }}
            obstacleOf={noObstacle}
            before={props.before}
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
