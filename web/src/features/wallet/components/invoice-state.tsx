import { useTranslation } from 'react-i18next'
import type { InvoiceItem } from '@/lib/api/gen/types.gen'
import { toMinor } from '@/lib/money'
import { StatusDot } from '@/ui/status-dot'

/** Paid, since invoices are issued with the payment, or refunded since, fully or in part. */
export function InvoiceState({ invoice: { refund, total } }: { invoice: InvoiceItem }) {
  const { t } = useTranslation('wallet')
  if (!refund) return <StatusDot tone="success">{t('invoice.paid')}</StatusDot>
  const isFull = toMinor(refund.amount) >= toMinor(total)
  return (
    <StatusDot tone="warning">
      {isFull ? t('invoice.refunded') : t('invoice.partlyRefunded')}
    </StatusDot>
  )
}
