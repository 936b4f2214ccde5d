import { Button, Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileQuestion, Printer } from 'lucide-react'
import type { ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { invoiceGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { InvoiceSheet } from './components/invoice-sheet'

const route = getRouteApi('/user/wallet/billing/view-invoice/$id')

/** One invoice, to view and to print, also as a PDF. */
export function InvoicePage(): ReactElement {
  const { t } = useTranslation('wallet')
  const { id } = route.useParams()
  const invoice = useQuery(invoiceGetOptions({ path: { invoice_id: id } }))
  const isUnknown = invoice.error instanceof ApiError && [404, 422].includes(invoice.error.status)
  const title = invoice.data ? t('invoice.titleOf', { no: invoice.data.no }) : t('invoice.title')
  return (
    <>
      <PageHeader
        title={title}
        action={
          invoice.data && (
            <Button
              leftSection={<Printer size={16} strokeWidth={1.75} aria-hidden="true" />}
              onClick={() => window.print()}
            >
              {t('invoice.print')}
            </Button>
          )
        }
      />
      {isUnknown ? (
        <Card>
          <Empty
            icon={FileQuestion}
            text={t('invoice.unknown')}
            action={
              <ButtonLink variant="default" to="/user/wallet/billing" search={{}}>
                {t('invoice.toAll')}
              </ButtonLink>
            }
          />
        </Card>
      ) : (
        <Loaded query={invoice} skeleton={<Skeleton height={560} maw={760} radius="lg" />} hasCards>
          {(found) => <InvoiceSheet invoice={found} />}
        </Loaded>
      )}
    </>
  )
}
