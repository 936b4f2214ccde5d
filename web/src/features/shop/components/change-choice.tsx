import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageX, Store } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { servicesListOptions, shopPlansOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { OrderItem as Order, ServiceItem } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { obstacleTo } from '../model'
import { ChoiceSkeleton } from './choice-skeleton'
import { NoService } from './no-service'
import { PlanChoice } from './plan-choice'

/** Offers other plans in exchange for a running service, whose unused part is credited. */
export function ChangeChoice(props: {
  serviceId: number
  previousOrder: Order | undefined
  onBought: (orderNo: number) => Promise<void>
}) {
  const { t } = useTranslation('shop')
  const services = useQuery(servicesListOptions())
  return (
    <Loaded query={services} skeleton={<ChoiceSkeleton />} hasCards>
      {(list) => {
        const service = list.services.find(({ id }) => id === props.serviceId)
        if (!service) return <NoService />
        return service.state === 'running' ? (
          <OtherPlans
            service={service}
            previousOrder={props.previousOrder}
            onBought={props.onBought}
          />
        ) : (
          <Card>
            <Empty
              icon={PackageX}
              text={t('changeEnded')}
              action={<ButtonLink to="/user/services/buy">{t('otherPlans')}</ButtonLink>}
            />
          </Card>
        )
      }}
    </Loaded>
  )
}

function OtherPlans(props: {
  service: ServiceItem
  previousOrder: Order | undefined
  onBought: (orderNo: number) => Promise<void>
}) {
  const { t } = useTranslation('shop')
  const { service } = props
  const shop = useQuery(shopPlansOptions())
  return (
    <Loaded query={shop} skeleton={<ChoiceSkeleton />} hasCards>
      {(items) => {
        const plans = items.filter(({ kind }) => kind === 'plan')
        if (!plans.some(({ id }) => id !== service.plan_id)) {
          return (
            <Card>
              <Empty
                icon={Store}
                text={t('noOtherPlans')}
                action={<ButtonLink to="/user/services">{t('back')}</ButtonLink>}
              />
            </Card>
          )
        }
        return (
          <PlanChoice
            plans={plans}
            service={{ changeServiceId: service.id }}
            autoRenew={service.auto_renew}
            hasDefault={false}
            compared={service}
            previousOrder={props.previousOrder}
            obstacleOf={(plan) => (plan.id === service.plan_id ? 'current' : obstacleTo(plan))}
            onBought={props.onBought}
          />
        )
      }}
    </Loaded>
  )
}
