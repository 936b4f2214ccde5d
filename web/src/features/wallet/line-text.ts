import type { TFunction } from 'i18next'
import type { InvoiceLine } from '@/lib/api/gen/types.gen'
import { isolate } from '@/lib/isolate'

/** What a line of an invoice is for: "Plan · Standard, 3 months". */
export function lineText({ kind, name, months }: InvoiceLine, t: TFunction<'wallet'>): string {
  const text = `${t(`line.${kind}`)} · ${isolate(name)}`
  return months === undefined ? text : t('line.months', { text, count: months })
}
