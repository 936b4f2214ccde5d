import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { RechargeRecord } from '@/lib/api/gen/types.gen'
import { useIsBanned } from '@/ui/ban-notice'
import { type Column, DataTable } from '@/ui/data-table'
import { useServerNow } from '@/lib/now'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { isPayable, rechargeTones } from '../model'

export function RechargeTable({ records }: { records: readonly RechargeRecord[] }) {
  const { t } = useTranslation('wallet')
  return (
    <DataTable
      caption={t('recharges.title')}
      columns={columnsIn(t)}
      rows={records}
      rowKey={({ id }) => id}
    />
  )
}

const columnsIn = (t: TFunction<'wallet'>): Column<RechargeRecord>[] => [
  {
    key: 'number',
    header: t('number'),
    isTitle: true,
    cell: ({ no }) => (
      <TextLink to="/user/wallet/recharge/new" search={{ id: no }}>
        {`#${no}`}
      </TextLink>
    ),
  },
  {
    key: 'when',
    header: t('when'),
    cell: (record) => <Moment time={record.created_at} withTime />,
  },
  { key: 'gateway', header: t('way'), cell: (record) => record.gateway_title },
  {
    key: 'amount',
    header: t('amount'),
    align: 'end',
    cell: (record) => <Money amount={record.money_amount} currency={record.currency} />,
  },
  {
    key: 'state',
    header: t('state'),
    cell: (record) => <State record={record} />,
  },
  { key: 'next', header: t('next'), align: 'end', cell: (record) => <Next record={record} /> },
]

/** A pending recharge whose time is up counts as expired, unless a payment still arrives. */
function State({ record }: { record: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  const now = useServerNow(1000)
  const isOver = record.state === 'pending' && !isPayable(record, now)
  const state = isOver ? 'expired' : record.state
  return <StatusDot tone={rechargeTones[state]}>{t(`rechargeState.${state}`)}</StatusDot>
}

/** Links to the payment of a pending recharge or to the invoice of a paid one. */
function Next({ record }: { record: RechargeRecord }) {
  const { t } = useTranslation('wallet')
  const now = useServerNow(1000)
  const isBanned = useIsBanned()
  if (isPayable(record, now) && !isBanned) {
    return (
      <TextLink to="/user/wallet/recharge/new" search={{ id: record.no }}>
        {t('payNow')}
      </TextLink>
    )
  }
  if (record.invoice_id === null) return '—'
  return (
    <TextLink to="/user/wallet/billing/view-invoice/$id" params={{ id: record.invoice_id }}>
      {t('invoice.title')}
    </TextLink>
  )
}
