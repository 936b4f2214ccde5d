import { Card } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageControl } from '@/ui/page-control'
import { PageHeader } from '@/ui/page-header'
import { InvoiceTable } from './components/invoice-table'
import { ListSkeleton } from './components/list-skeleton'
import { MonthFilter } from './components/month-filter'
import { SaveCsv } from './components/save-csv'
import classes from './components/statement.module.css'
import { invoicesOf } from './list-queries'
import { pagesOf } from './model'

const route = getRouteApi('/user/wallet/billing/')

/** The invoices of orders and recharges, of one month or of all. */
export function BillingPage() {
  const { t } = useTranslation('wallet')
  const { page, month } = route.useSearch()
  const invoices = useQuery({
    ...invoicesOf(page, month),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader title={t('billing.title')} about={t('billing.about')} />
      <div className={classes.controls}>
        <MonthFilter />
        <SaveCsv month={month} isEmpty={invoices.data?.total_count === 0} />
      </div>
      <Loaded query={invoices} skeleton={<ListSkeleton />} hasCards>
        {(list) =>
          list.total_count === 0 ? (
            <NoInvoices isFiltered={month !== undefined} />
          ) : (
            <div data-stale={invoices.isPlaceholderData}>
              <InvoiceTable invoices={list.invoices} />
              <PageControl
                page={page}
                pages={pagesOf(list.total_count)}
                link={(other) => ({ to: '/user/wallet/billing', search: { page: other, month } })}
              />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function NoInvoices({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation('wallet')
  return (
    <Card>
      <Empty
        icon={FileText}
        text={isFiltered ? t('billing.noneInMonth') : t('billing.none')}
        action={
          isFiltered ? (
            <ButtonLink variant="default" to="/user/wallet/billing" search={{}}>
              {t('showAll')}
            </ButtonLink>
          ) : (
            <UnlessBanned>
              <ButtonLink to="/user/services/buy" search={{}}>
                {t('toShop')}
              </ButtonLink>
            </UnlessBanned>
          )
        }
      />
    </Card>
  )
}
