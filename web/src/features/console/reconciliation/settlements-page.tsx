import { BanknoteArrowDown, Undo2 } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  staffSettlementEnterRules,
  staffSettlementReverseRules,
} from '@/lib/api/gen/staff/rules.gen'
import { staffSettlementEnter, staffSettlementReverse } from '@/lib/api/gen/staff/sdk.gen'
import type { Settlement } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { useMoneyText } from '../parts/use-money-text'
import { gatewaySums, settlements } from './resources'

/** What gateways paid out to the bank. */
export function SettlementsPage() {
  const { t } = useTranslation('console/reconciliation')
  return (
    <ListPage
      title={t('settlements.title')}
      about={t('settlements.about')}
      resource={settlements}
      columns={useColumns()}
      filters={[{ key: 'gateway', title: t('column.gateway'), kind: 'text' }]}
      actions={[useReverse()]}
      nameOf={({ reference }) => reference}
      empty={t('settlements.empty')}
      action={<ActionButton subject={null} action={useEnter()} isPrimary />}
    />
  )
}

function useColumns(): Column<Settlement>[] {
  const { t } = useTranslation('console/reconciliation')
  const currency = useCurrency()
  return [
    {
      key: 'reference',
      title: t('column.reference'),
      place: 'title',
      cell: (row) => row.reference,
    },
    {
      key: 'gateway',
      title: t('column.gateway'),
      width: '8rem',
      place: 'fact',
      cell: ({ gateway }) => gateway,
    },
    {
      key: 'gross',
      title: t('column.gross'),
      width: '8rem',
      align: 'end',
      place: 'fact',
      cell: ({ gross }) => <Money amount={gross} currency={currency} />,
    },
    {
      key: 'fee',
      title: t('column.fee'),
      width: '7rem',
      align: 'end',
      cell: ({ fee }) => <Money amount={fee} currency={currency} />,
    },
    {
      key: 'net',
      title: t('column.net'),
      width: '8rem',
      align: 'end',
      cell: ({ net }) => <Money amount={net} currency={currency} />,
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '8rem',
      place: 'state',
      cell: ({ reversed_at: reversed }) => (
        <StatusDot tone={reversed ? 'neutral' : 'success'}>
          {reversed ? t('isReversed') : t('active')}
        </StatusDot>
      ),
    },
    {
      key: 'time',
      title: t('field.arrivedAt'),
      width: '11rem',
      cell: ({ arrived_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useEnter(): Action<null> {
  const { t } = useTranslation('console/reconciliation')
  const { data: sums = [] } = useQuery(gatewaySums())
  return {
    key: 'enter',
    icon: BanknoteArrowDown,
    title: t('settlements.enter'),
    permission: 'money.reconcile',
    danger: 'C',
    fields: () => [
      {
        name: 'gateway',
        label: t('field.gateway'),
        kind: 'choice',
        isRequired: true,
        options: sums.map(({ gateway }) => ({ value: gateway, label: gateway })),
      },
      {
        name: 'gross',
        label: t('field.gross'),
        hint: t('field.grossHint'),
        kind: 'money',
        isRequired: true,
      },
      { name: 'fee', label: t('field.fee'), kind: 'money', initial: '0.00', isRequired: true },
      {
        name: 'reference',
        label: t('field.reference'),
        hint: t('field.referenceHint'),
        kind: 'text',
        isRequired: true,
        rules: staffSettlementEnterRules.reference,
      },
      { name: 'arrived_at', label: t('field.arrivedAt'), kind: 'datetime', isRequired: true },
      { name: 'beyond', label: t('field.beyond'), hint: t('field.beyondHint'), kind: 'money' },
      {
        name: 'note',
        label: t('field.note'),
        kind: 'text',
        rules: staffSettlementEnterRules.note,
      },
    ],
    effect: () => t('settlements.enterEffect'),
    run: (_, values) =>
      staffSettlementEnter({
        body: {
          gateway: String(values['gateway']),
          gross: String(values['gross']),
          fee: String(values['fee']),
          reference: String(values['reference']),
          arrived_at: new Date(String(values['arrived_at'])).toISOString(),
          ...(values['note'] && { note: String(values['note']) }),
          ...(values['beyond'] && { beyond: String(values['beyond']) }),
        },
        throwOnError: true,
      }),
    done: () => t('settlements.entered'),
  }
}

function useReverse(): Action<Settlement> {
  const { t } = useTranslation('console/reconciliation')
  const money = useMoneyText()
  return {
    key: 'reverse',
    icon: Undo2,
    title: t('settlements.reverse'),
    permission: 'money.reconcile',
    danger: 'R',
    isShown: ({ reversed_at: reversed }) => reversed === null,
    fields: () => [
      {
        name: 'reason',
        label: t('field.reason'),
        kind: 'textarea',
        isRequired: true,
        rules: staffSettlementReverseRules.reason,
      },
    ],
    effect: ({ reference, gross }) =>
      t('settlements.reverseEffect', { reference, gross: money(gross) }),
    run: ({ id }, { reason }) =>
      staffSettlementReverse({
        path: { settlement_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: () => t('settlements.reversed'),
  }
}
