import { Card } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { ShoppingBag } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PurchaseRecord } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageControl } from '@/ui/page-control'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { ListSkeleton } from './components/list-skeleton'
import { PAGE_SIZE, purchasesOf } from './list-queries'
import { pagesOf } from './model'

const route = getRouteApi('/user/wallet/purchase-records-old')

/** The classic table of what was bought. */
export function PurchaseRecordsPage() {
  const { t } = useTranslation('wallet')
  const { page } = route.useSearch()
  const begin = (page - 1) * PAGE_SIZE
  const purchases = useQuery({
    ...purchasesOf(page),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader title={t('purchases.title')} about={t('purchases.about')} />
      <Loaded query={purchases} skeleton={<ListSkeleton />} hasCards>
        {(list) =>
          list.length === 0 && page === 1 ? (
            <Card>
              <Empty
                icon={ShoppingBag}
                text={t('purchases.none')}
                action={
                  <UnlessBanned>
                    <ButtonLink to="/user/services/buy" search={{}}>
                      {t('toShop')}
                    </ButtonLink>
                  </UnlessBanned>
                }
              />
            </Card>
          ) : (
            <div data-stale={purchases.isPlaceholderData}>
              <Purchases list={list.slice(0, PAGE_SIZE)} />
              <PageControl
                page={page}
                pages={pagesOf(begin + list.length)}
                link={(other) => ({
                  to: '/user/wallet/purchase-records-old',
                  search: { page: other },
                })}
              />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function Purchases({ list }: { list: readonly PurchaseRecord[] }) {
  const { t } = useTranslation('wallet')
  const currency = useCurrency()
  return (
    <DataTable
      caption={t('purchases.title')}
      columns={columnsIn(t, currency)}
      rows={list}
      rowKey={({ id }) => id}
    />
  )
}

const columnsIn = (t: TFunction<'wallet'>, currency: string): Column<PurchaseRecord>[] => [
  { key: 'name', header: t('what'), isTitle: true, cell: (row) => row.shop_name },
  { key: 'number', header: t('number'), cell: ({ no }) => `#${no}` },
  { key: 'when', header: t('when'), cell: (row) => <Moment time={row.created_at} withTime /> },
  {
    key: 'kind',
    header: t('purchases.kind'),
    cell: ({ kind, months }) =>
      months === 0
        ? t(`line.${kind}`)
        : t('line.months', { text: t(`line.${kind}`), count: months }),
  },
  {
    key: 'ends',
    header: t('purchases.ends'),
    cell: (row) => (row.ends_at === null ? '—' : <Moment time={row.ends_at} isEnd />),
  },
  {
    key: 'renews',
    header: t('purchases.renews'),
    cell: (row) => (row.renew_at === null ? t('purchases.no') : <Moment time={row.renew_at} />),
  },
  {
    key: 'state',
    header: t('state'),
    cell: ({ state }) => (
      <StatusDot tone={state === 'paid' ? 'success' : 'warning'}>{t(`invoice.${state}`)}</StatusDot>
    ),
  },
  {
    key: 'amount',
    header: t('amount'),
    align: 'end',
    cell: (row) => <Money amount={row.money_amount} currency={currency} />,
  },
]
