import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageHeader } from '@/shared/ui/page-header'
import { RechargeForm } from './components/recharge-form'
import { RechargeState } from './components/recharge-state'

const route = getRouteApi('/user/wallet/recharge/new')

/** Choose how much and how, then pay. The recharge's number is in the address, so that a reload goes on where one was. */
export function RechargePage() {
  const { t } = useTranslation('wallet')
  const { id } = route.useSearch()
  return (
    <>
      <PageHeader title={t('new.title')} about={id === undefined ? t('new.about') : undefined} />
      {id === undefined ? <RechargeForm /> : <RechargeState key={id} id={String(id)} />}
    </>
  )
}
