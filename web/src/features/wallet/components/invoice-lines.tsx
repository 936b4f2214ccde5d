import { useTranslation } from 'react-i18next'
import type { InvoiceResult } from '@/lib/api/gen/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { lineText } from '../line-text'
import classes from './invoice-sheet.module.css'

/** The lines of the invoice, the total, and the refund if there is one. */
export function InvoiceLines({ invoice }: { invoice: InvoiceResult }) {
  const { t } = useTranslation('wallet')
  const { currency, refund } = invoice
  return (
    <table className={classes.lines}>
      <thead>
        <tr>
          <th scope="col">{t('what')}</th>
          <th scope="col">
            {t('amount')} ({currency})
          </th>
        </tr>
      </thead>
      <tbody>
        {invoice.lines.map((line, index) => (
          <tr key={index}>
            <td>{lineText(line, t)}</td>
            <td>
              <Money amount={line.amount} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className={classes.total}>
          <th scope="row">{t('invoice.total')}</th>
          <td>
            <Money amount={invoice.total} currency={currency} />
          </td>
        </tr>
        {refund && (
          <tr>
            <th scope="row">
              {t(`invoice.refund.${invoice.kind}`)} · <Moment time={refund.created_at} withTime />
            </th>
            <td>
              <Money amount={`-${refund.amount}`} currency={currency} />
            </td>
          </tr>
        )}
      </tfoot>
    </table>
  )
}
