import { Box } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ComparedLine, GatewayStatement } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { FilterBar } from '../parts/filter-bar'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { linesOf } from './resources'

const states = [
  'unknown',
  'unpaid',
  'other_amount',
  'other_payment',
  'case',
  'repeated',
  'matched',
  'noted',
] as const

const kinds = ['payment', 'refund', 'fee', 'payout', 'other'] as const

/** The lines of a statement with what the books have for each. */
export function StatementLines({ statement }: { statement: GatewayStatement }) {
  const { t } = useTranslation('console/reconciliation')
  const resource = useMemo(() => linesOf(String(statement.id)), [statement.id])
  return (
    <Box>
      <FilterBar
        filters={[
          {
            key: 'state',
            title: t('column.state'),
            kind: 'choice',
            isSingle: true,
            options: states.map((value) => ({ value, label: t(`state.${value}`) })),
          },
          {
            key: 'kind',
            title: t('column.kind'),
            kind: 'choice',
            isSingle: true,
            options: kinds.map((value) => ({ value, label: t(`kind.${value}`) })),
          },
        ]}
      />
      <ResourceTable
        caption={t('statement.lines')}
        resource={resource}
        columns={useColumns(statement.currency)}
        empty={{ text: t('statement.noLines') }}
      />
    </Box>
  )
}

function useColumns(currency: string): Column<ComparedLine>[] {
  const { t } = useTranslation('console/reconciliation')
  return [
    { key: 'line', title: t('column.line'), width: '4rem', cell: ({ position }) => position },
    {
      key: 'number',
      title: t('column.number'),
      place: 'title',
      cell: (line) => line.transaction_id || line.trade_no || '—',
    },
    {
      key: 'kind',
      title: t('column.kind'),
      width: '6rem',
      cell: ({ kind }) => t(`kind.${kind}`),
    },
    {
      key: 'amount',
      title: t('column.amount'),
      width: '7rem',
      align: 'end',
      place: 'fact',
      cell: ({ amount }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'booked',
      title: t('column.booked'),
      width: '7rem',
      align: 'end',
      place: 'fact',
      cell: ({ booked }) => (booked ? <Money amount={booked} currency={currency} /> : '—'),
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '9rem',
      place: 'state',
      cell: ({ state }) => (
        <StatusDot
          tone={state === 'matched' ? 'success' : isSettledState(state) ? 'neutral' : 'warning'}
        >
          {t(`state.${state}`)}
        </StatusDot>
      ),
    },
    {
      key: 'leads',
      title: t('column.leads'),
      width: '8rem',
      cell: (line) => <LeadsTo line={line} />,
    },
    {
      key: 'time',
      title: t('column.time'),
      width: '9rem',
      cell: ({ happened_at: time }) => <Moment time={time} />,
    },
  ]
}

const isSettledState = (state: ComparedLine['state']) => state === 'noted' || state === 'repeated'

function LeadsTo({ line }: { line: ComparedLine }) {
  const { t } = useTranslation('console/reconciliation')
  if (line.recharge_no !== null)
    return (
      <TextLink to="/admin/recharges/$id" params={{ id: String(line.recharge_no) }}>
        {t('statement.recharge', { no: line.recharge_no })}
      </TextLink>
    )
  if (line.case_id !== null)
    return (
      <TextLink to="/admin/payment-cases/$id" params={{ id: String(line.case_id) }}>
        {t('statement.case', { id: line.case_id })}
      </TextLink>
    )
  return '—'
}
