import type { InvoiceItem, InvoicesListData } from '@/lib/api/gen/types.gen'
import { invoicesList } from '@/lib/api/gen/sdk.gen'

const MAX_PAGE_SIZE = 500

/** All invoices of a month, or of all months, however many. */
export async function everyInvoice(month: string | undefined): Promise<InvoiceItem[]> {
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
export const csv = (rows: readonly (readonly string[])[]) =>
  `${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
