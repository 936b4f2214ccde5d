import type { TFunction } from 'i18next'
import type { InvoiceItem, InvoicesListData } from '@/lib/api/gen/types.gen'
import { invoicesList } from '@/lib/api/gen/sdk.gen'
import { csvFile, saveFile } from '@/lib/save-file'
import { lineText } from './line-text'

const MAX_PAGE_SIZE = 500

/** All invoices of a month, or of all months, however many. */
async function everyInvoice(month: string | undefined): Promise<InvoiceItem[]> {
  const found: InvoiceItem[] = []
  for (;;) {
    const query: InvoicesListData['query'] = { month, limit: MAX_PAGE_SIZE, offset: found.length }
    const { data } = await invoicesList({ query, throwOnError: true })
    found.push(...data.invoices)
    if (data.invoices.length === 0 || found.length >= data.total_count) return found
  }
}

/** A quoted cell. Text that spreadsheets would run as a formula gets an apostrophe before it; numbers stay. */
function cell(value: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value)
  return `"${(isFormula ? `'${value}` : value).replaceAll('"', '""')}"`
}

/** CSV as of RFC 4180. */
const csv = (rows: readonly (readonly string[])[]) =>
  `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`

/** Downloads all invoices of a month, or of all months, as CSV. */
export async function saveInvoices(
  month: string | undefined,
  t: TFunction<'wallet'>,
): Promise<void> {
  const head = [t('number'), t('when'), t('what'), t('amount'), t('currency'), t('refunded')]
  const rows = (await everyInvoice(month)).map(
    ({ no, created_at, lines, total, currency, refund }) => [
      String(no),
      created_at,
      lines.map((line) => lineText(line, t)).join('; '),
      total,
      currency,
      refund?.amount ?? '',
    ],
  )
  saveFile(`invoices${month ? `-${month}` : ''}.csv`, csvFile(csv([head, ...rows])))
}
