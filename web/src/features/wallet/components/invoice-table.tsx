import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { InvoiceItem } from '@/lib/api/gen/types.gen'
import { type Column, DataTable } from '@/ui/data-table'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { lineText } from '../line-text'
import { InvoiceState } from './invoice-state'

export function InvoiceTable({ invoices }: { invoices: readonly InvoiceItem[] }) {
  const { t } = useTranslation('wallet')
  return (
    <DataTable
      caption={t('billing.title')}
      columns={columnsIn(t)}
      rows={invoices}
      rowKey={({ id }) => id}
    />
  )
}

const columnsIn = (t: TFunction<'wallet'>): Column<InvoiceItem>[] => [
  {
    key: 'what',
    header: t('what'),
    isTitle: true,
    cell: ({ no, lines: [first] }) => (
      <TextLink to="/user/wallet/billing/view-invoice/$id" params={{ id: String(no) }}>
        {first ? lineText(first, t) : `#${no}`}
      </TextLink>
    ),
  },
  { key: 'number', header: t('number'), cell: ({ no }) => `#${no}` },
  { key: 'when', header: t('when'), cell: (row) => <Moment time={row.created_at} withTime /> },
  { key: 'state', header: t('state'), cell: (row) => <InvoiceState invoice={row} /> },
  {
    key: 'amount',
    header: t('amount'),
    align: 'end',
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
]
