import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { OrderRow } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { usePlanFilter } from '../parts/use-plan-filter'
import { useOrderRefund } from './order-actions'
import { orders } from './resources'
import { MoneyState, useStateFilter } from './states'

const kinds = ['plan', 'renewal', 'package'] as const

/** What was bought. */
export function OrdersPage() {
  const { t } = useTranslation('console/money')
  const may = useMay()
  return (
    <ListPage
      title={t('orders.title')}
      resource={orders}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('orders.search') }}
      link={({ no }) => ({
        to: '/admin/orders/$id',
        params: { id: String(no) },
      })}
      actions={[useOrderRefund()]}
      nameOf={({ no }) => `#${no}`}
      empty={t('orders.empty')}
      action={
        may('order.make') && (
          <ButtonLink to="/admin/orders/new" leftSection={<Plus size={16} aria-hidden="true" />}>
            {t('orders.new')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<OrderRow>[] {
  return [...useShownColumns(), ...useExtraColumns()]
}

function useExtraColumns(): Column<OrderRow>[] {
  const { t } = useTranslation('console/money')
  const extra = { isExtra: true } as const
  return [
    {
      ...extra,
      key: 'coupon',
      title: t('column.coupon'),
      width: '8rem',
      cell: ({ coupon }) => coupon || '—',
    },
    {
      ...extra,
      key: 'discount',
      title: t('column.discount'),
      width: '7rem',
      align: 'end',
      cell: ({ discount, currency }) => <Money amount={discount} currency={currency} />,
    },
    {
      ...extra,
      key: 'paid',
      title: t('column.paid'),
      width: '12rem',
      cell: ({ paid_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
    {
      ...extra,
      key: 'label',
      title: t('column.label'),
      width: '10rem',
      cell: ({ labels }) => labels.join(', ') || '—',
    },
  ]
}

function useShownColumns(): Column<OrderRow>[] {
  const { t } = useTranslation('console/money')
  return [
    {
      key: 'no',
      title: t('column.no'),
      width: '8rem',
      place: 'title',
      cell: ({ no }) => `#${no}`,
    },
    {
      key: 'item',
      title: t('column.item'),
      width: '8rem',
      place: 'fact',
      cell: ({ plan }) => plan.name,
    },
    {
      key: 'user',
      title: t('column.user'),
      place: 'fact',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'kind',
      title: t('column.kind'),
      width: '6rem',
      cell: ({ kind }) => t(`orderKind.${kind}`),
    },
    {
      key: 'total',
      title: t('column.total'),
      width: '7rem',
      align: 'end',
      sort: 'total',
      place: 'fact',
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '7rem',
      place: 'state',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      width: '11.5rem',
      sort: 'created',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useFilters(): Filter[] {
  const { t } = useTranslation('console/money')
  return [
    useStateFilter(['pending', 'paid', 'cancelled', 'expired', 'refunded']),
    {
      key: 'kind',
      title: t('column.kind'),
      kind: 'choice',
      options: kinds.map((value) => ({
        value,
        label: t(`orderKind.${value}`),
      })),
    },
    { key: 'created', title: t('column.created'), kind: 'date' },
    { key: 'paid', title: t('column.paid'), kind: 'date' },
    { key: 'total', title: t('column.total'), kind: 'range' },
    { key: 'user', title: t('column.userNo'), kind: 'reference' },
    usePlanFilter(),
    { key: 'coupon', title: t('column.couponNo'), kind: 'reference' },
    { key: 'label', title: t('column.label'), kind: 'text' },
  ]
}
