import { Card } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { TicketCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RedemptionRecord } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageControl } from '@/ui/page-control'
import { giftText } from '../gift-text'
import { redemptionsOf } from '../list-queries'
import { pagesOf } from '../model'
import { ListSkeleton } from './list-skeleton'
import classes from './redeemed.module.css'

const route = getRouteApi('/user/wallet/recharge/cd-key')

/** The redeemed keys and what they brought, newest first. */
export function RedemptionHistory() {
  const { t, i18n } = useTranslation('wallet')
  const currency = useCurrency()
  const { page } = route.useSearch()
  const redemptions = useQuery({
    ...redemptionsOf(page),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-labelledby="redeemed">
      <h2 id="redeemed" className={classes.title}>
        {t('cdKey.history')}
      </h2>
      <Loaded query={redemptions} skeleton={<ListSkeleton />} hasCards>
        {(list) =>
          list.total_count === 0 ? (
            <Card>
              <Empty icon={TicketCheck} text={t('cdKey.none')} />
            </Card>
          ) : (
            <div data-stale={redemptions.isPlaceholderData}>
              <DataTable
                caption={t('cdKey.history')}
                columns={columnsIn(t, (gift) => giftText(gift, t, currency, i18n.language))}
                rows={list.records}
                rowKey={({ no }) => no}
              />
              <PageControl
                page={page}
                pages={pagesOf(list.total_count)}
                link={(other) => ({ to: '/user/wallet/recharge/cd-key', search: { page: other } })}
              />
            </div>
          )
        }
      </Loaded>
    </section>
  )
}

const columnsIn = (
  t: TFunction<'wallet'>,
  textOf: (gift: RedemptionRecord) => string,
): Column<RedemptionRecord>[] => [
  { key: 'gift', header: t('cdKey.brought'), isTitle: true, cell: textOf },
  { key: 'key', header: t('cdKey.label'), cell: (row) => `${row.cd_key}…` },
  { key: 'when', header: t('when'), cell: (row) => <Moment time={row.created_at} withTime /> },
]
