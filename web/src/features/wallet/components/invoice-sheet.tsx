import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { InvoiceResult } from '@/lib/api/gen/types.gen'
import { siteOptions } from '@/lib/api/site'
import { Fact } from '@/ui/fact'
import { Moment } from '@/ui/moment'
import { InvoiceLines } from './invoice-lines'
import classes from './invoice-sheet.module.css'
import { InvoiceState } from './invoice-state'

/** An invoice laid out for paper. */
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
        <Fact name={t('invoice.issued')}>
          <Moment time={invoice.created_at} withTime />
        </Fact>
        <Fact name={t(`invoice.for.${invoice.kind}`)}>#{invoice.reference}</Fact>
        <Fact name={t('state')}>
          <InvoiceState invoice={invoice} />
        </Fact>
      </dl>
      <InvoiceLines invoice={invoice} />
    </Card>
  )
}

function BilledTo() {
  const { t } = useTranslation('wallet')
  const { data: user } = useQuery(userGetMeOptions())
  return (
    <Fact name={t('invoice.to')}>
      {user?.user_name}
      <br />
      {user?.email}
    </Fact>
  )
}
