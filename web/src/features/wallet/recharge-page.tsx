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

/** An existing recharge. If it pays for an order the header names that. */
function OneRecharge({ id }: { id: string }) {
  const { t } = useTranslation('wallet')
  const { what } = useOrderText()
  const recharge = useQuery(rechargeOptions(id))
  const order = recharge.data?.order
  return (
    <>
      {order ? (
        <PageHeader title={t('pay.order')} about={what(order)} />
      ) : (
        <PageHeader title={t('new.title')} />
      )}
      <OwnBan />
      <RechargeState recharge={recharge} />
    </>
  )
}
