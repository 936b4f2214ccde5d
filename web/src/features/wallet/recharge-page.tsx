import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useOrderText } from '@/lib/order-text'
import { OwnBan, useIsBanned } from '@/ui/ban-notice'
import { PageHeader } from '@/ui/page-header'
import { RechargeForm } from './components/recharge-form'
import { RechargeState } from './components/recharge-state'
import { rechargeOptions } from './recharge-query'

const route = getRouteApi('/user/wallet/recharge/new')

/** Creates a recharge, then shows it. Its number is in the address, so that it survives a reload. */
export function RechargePage() {
  const { t } = useTranslation('wallet')
  const { id } = route.useSearch()
  const isBanned = useIsBanned()
  if (id !== undefined) return <OneRecharge key={id} id={String(id)} />
  return (
    <>
      <PageHeader title={t('new.title')} about={t('new.about')} />
      {isBanned ? <OwnBan /> : <RechargeForm />}
    </>
  )
}

/**
 * An existing recharge. If it pays for an order the header names that. The line below the title is always there, also
 * while it is not known yet, so that nothing moves when it is.
 */
function OneRecharge({ id }: { id: string }) {
  const { t } = useTranslation('wallet')
  const { what } = useOrderText()
  const recharge = useQuery(rechargeOptions(id))
  const { order, state } = recharge.data ?? {}
  const orderTitle = state === 'paid' ? 'result.paid' : 'pay.order'
  return (
    <>
      <PageHeader
        title={t(order ? orderTitle : 'new.title')}
        about={order ? what(order) : t('new.about')}
      />
      <OwnBan />
      <RechargeState recharge={recharge} />
    </>
  )
}
