import { useTranslation } from 'react-i18next'
import type { RechargeRow } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useRechargeRefund } from './recharge-actions'
import { recharges } from './resources'
import { MoneyState, useStateFilter } from './states'

/** What came in. */
export function RechargesPage() {
  const { t } = useTranslation('console/money')
  return (
    <ListPage
      title={t('recharges.title')}
      resource={recharges}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('recharges.search') }}
      link={({ no }) => ({
        to: '/admin/recharges/$id',
        params: { id: String(no) },
      })}
      actions={[useRechargeRefund()]}
      nameOf={({ no }) => `#${no}`}
      empty={t('recharges.empty')}
    />
  )
}

function useColumns(): Column<RechargeRow>[] {
  return [...useShownColumns(), ...useExtraColumns()]
}

function useExtraColumns(): Column<RechargeRow>[] {
  const { t } = useTranslation('console/money')
  const extra = { isExtra: true } as const
  return [
    {
      ...extra,
      key: 'fee',
      title: t('column.fee'),
      width: '7rem',
      align: 'end',
      cell: ({ fee, currency }) => <Money amount={fee} currency={currency} />,
    },
    {
      ...extra,
      key: 'refunded',
      title: t('column.refunded'),
      width: '7rem',
      align: 'end',
      cell: ({ refunded, currency }) => <Money amount={refunded} currency={currency} />,
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

function useShownColumns(): Column<RechargeRow>[] {
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
      key: 'user',
      title: t('column.user'),
      place: 'fact',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'gateway',
      title: t('column.gateway'),
      width: '6rem',
      cell: ({ gateway }) => gateway,
    },
    {
      key: 'amount',
      title: t('column.amount'),
      width: '8rem',
      align: 'end',
      sort: 'amount',
      place: 'fact',
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '7rem',
      place: 'state',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    {
      key: 'transaction',
      title: t('column.transaction'),
      width: '7rem',
      cell: ({ transaction_id: id }) => id || '—',
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
    useStateFilter(['pending', 'paid', 'expired', 'failed', 'refunded']),
    { key: 'gateway', title: t('column.gateway'), kind: 'text' },
    { key: 'amount', title: t('column.amount'), kind: 'range' },
    { key: 'created', title: t('column.created'), kind: 'date' },
    { key: 'paid', title: t('column.paid'), kind: 'date' },
    { key: 'user', title: t('column.userNo'), kind: 'reference' },
    { key: 'label', title: t('column.label'), kind: 'text' },
  ]
}
