import { Card } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CreditCard } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { OwnBan, UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageControl } from '@/ui/page-control'
import { PageHeader } from '@/ui/page-header'
import { ListSkeleton } from './components/list-skeleton'
import { RechargeTable } from './components/recharge-table'
import { rechargesOf } from './list-queries'
import { pagesOf } from './model'

const route = getRouteApi('/user/wallet/recharge/')

/** All recharges with their state. A pending one can be continued from here. */
export function RechargesPage() {
  const { t } = useTranslation('wallet')
  const { page } = route.useSearch()
  const recharges = useQuery({
    ...rechargesOf(page),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader
        title={t('recharges.title')}
        about={t('recharges.about')}
        action={
          <UnlessBanned>
            <ButtonLink to="/user/wallet/recharge/new">{t('recharge')}</ButtonLink>
          </UnlessBanned>
        }
      />
      <OwnBan />
      <Loaded query={recharges} skeleton={<ListSkeleton />} hasCards>
        {(list) =>
          list.total_count === 0 ? (
            <Card>
              <Empty icon={CreditCard} text={t('recharges.none')} />
            </Card>
          ) : (
            <div data-stale={recharges.isPlaceholderData}>
              <RechargeTable records={list.recharge_records} />
              <PageControl
                page={page}
                pages={pagesOf(list.total_count)}
                link={(other) => ({ to: '/user/wallet/recharge', search: { page: other } })}
              />
            </div>
          )
        }
      </Loaded>
    </>
  )
}
