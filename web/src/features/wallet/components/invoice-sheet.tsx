import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { InvoiceResult } from '@/api/gen/types.gen'
import { siteOptions } from '@/api/site'
import { Moment } from '@/shared/ui/moment'
import { InvoiceLines } from './invoice-lines'
import classes from './invoice-sheet.module.css'
import { InvoiceState } from './invoice-state'

/** An invoice as a sheet of paper has it. */
export function InvoiceSheet({ invoice }: { invoice: InvoiceResult }) {
  const { t } = useTranslation('wallet')
  const { data: site } = useQuery(siteOptions())
  return (
    <Card component="article" className={classes.sheet}>
      <header className={classes.head}>
        <div>
          <p className={classes.site}>{invoice.site_name}</p>
          <p className={classes.address}>{site?.site_url}</p>
        </div>
        <p className={classes.word}>{t('invoice.titleOf', { no: invoice.no })}</p>
      </header>
      <dl className={classes.facts}>
        <BilledTo />
        <div>
          <dt>{t('invoice.issued')}</dt>
          <dd>
            <Moment time={invoice.created_at} withTime />
          </dd>
        </div>
        <div>
          <dt>{t(`invoice.for.${invoice.kind}`)}</dt>
          <dd>#{invoice.reference}</dd>
        </div>
        <div>
          <dt>{t('state')}</dt>
          <dd>
            <InvoiceState invoice={invoice} />
          </dd>
        </div>
      </dl>
      <InvoiceLines invoice={invoice} />
    </Card>
  )
}

function BilledTo() {
  const { t } = useTranslation('wallet')
  const { data: user } = useQuery(userGetMeOptions())
  return (
    <div>
      <dt>{t('invoice.to')}</dt>
      <dd>
        {user?.user_name}
        <br />
        {user?.email}
      </dd>
    </div>
  )
}
