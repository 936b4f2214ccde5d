import type { InvoiceItem, InvoicesListData } from '@/lib/api/gen/types.gen'
import { invoicesList } from '@/lib/api/gen/sdk.gen'

const MOST_AT_ONCE = 500

/** All invoices of a month, or of all months, however many. */
export async function everyInvoice(month: string | undefined): Promise<InvoiceItem[]> {
  const found: InvoiceItem[] = []
  for (;;) {
    const query: InvoicesListData['query'] = { month, limit: MOST_AT_ONCE, offset: found.length }
    const { data } = await invoicesList({ query, throwOnError: true })
    found.push(...data.invoices)
    if (data.invoices.length === 0 || found.length >= data.total_count) return found
  }
}

/** A cell in quotes. What a spreadsheet would take for a formula gets a quote before it; numbers stay numbers. */
function cell(value: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value)
  return `"${(isFormula ? `'${value}` : value).replaceAll('"', '""')}"`
}

/** RFC 4180, with a byte order mark, without which Excel takes UTF-8 for something else. */
export const csv = (rows: readonly (readonly string[])[]) =>
  `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`

/** Hands a text to the browser as a file to keep. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
