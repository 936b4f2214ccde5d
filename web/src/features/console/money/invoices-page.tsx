import { useTranslation } from 'react-i18next'
import type { StaffInvoice } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { invoices } from './resources'

/** The bills of orders and recharges; a row leads to what it is the bill of. */
export function InvoicesPage() {
  const { t } = useTranslation('console/ledger')
  return (
    <ListPage
      title={t('invoices.title')}
      resource={invoices}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('invoices.search') }}
      link={({ kind, reference_no: no }) => ({
        to: kind === 'order' ? '/admin/orders/$id' : '/admin/recharges/$id',
        params: { id: String(no) },
      })}
      empty={t('invoices.empty')}
    />
  )
}

function useColumns(): Column<StaffInvoice>[] {
  const { t } = useTranslation('console/ledger')
  return [
    {
      key: 'no',
      title: t('invoices.no'),
      width: '8rem',
      place: 'title',
      cell: ({ no }) => `#${no}`,
    },
    {
      key: 'user',
      title: t('invoices.user'),
      place: 'fact',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'kind',
      title: t('invoices.kind'),
      width: '9rem',
      place: 'state',
      cell: ({ kind, reference_no: no }) => `${t(`reference.${kind}`)} #${no}`,
    },
    {
      key: 'lines',
      title: t('invoices.lines'),
      cell: ({ lines }) => lines.map(({ name }) => name).join(', '),
    },
    {
      key: 'total',
      title: t('invoices.total'),
      width: '8rem',
      align: 'end',
      sort: 'total',
      place: 'fact',
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
    {
      key: 'created',
      title: t('invoices.created'),
      width: '12rem',
      sort: 'created',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useFilters(): Filter[] {
  const { t } = useTranslation('console/ledger')
  return [
    {
      key: 'kind',
      title: t('invoices.kind'),
      kind: 'choice',
      options: (['order', 'recharge'] as const).map((value) => ({
        value,
        label: t(`reference.${value}`),
      })),
    },
    { key: 'total', title: t('invoices.total'), kind: 'range' },
    { key: 'created', title: t('invoices.created'), kind: 'date' },
    { key: 'user', title: t('column.user'), kind: 'reference' },
  ]
}
