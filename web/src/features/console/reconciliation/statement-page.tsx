import { Box, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { staffStatementRemove } from '@/lib/api/gen/staff/sdk.gen'
import type {
  ComparedLine,
  ComparedStatement,
  GatewayStatement,
} from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import type { Action } from '../parts/action'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { FilterBar } from '../parts/filter-bar'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { Item, Items, Section } from '../parts/section'
import { linesOf, statementOf } from './resources'

const route = getRouteApi('/admin/reconciliation/$id')

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

/** One statement held against the books: its sums, what is absent there, and its lines. */
export function StatementPage() {
  const { t } = useTranslation('console/reconciliation')
  const { id } = route.useParams()
  const query = useQuery(statementOf(id))
  return (
    <div data-wide>
      {query.data ? (
        <Header statement={query.data.statement} />
      ) : (
        <PageHeader title={t('column.name')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(compared) => <Comparison compared={compared} />}
      </Loaded>
    </div>
  )
}

function Header({ statement }: { statement: GatewayStatement }) {
  const { t } = useTranslation('console/reconciliation')
  return (
    <DetailHeader
      list={{ title: t('title'), link: { to: '/admin/reconciliation' } }}
      title={statement.name}
      about={statement.gateway}
      menu={<ActionMenu subject={statement} name={statement.name} actions={[useRemove()]} />}
    />
  )
}

function useRemove(): Action<GatewayStatement> {
  const { t } = useTranslation('console/reconciliation')
  const navigate = useNavigate()
  return {
    key: 'remove',
    icon: Trash2,
    title: t('statement.remove'),
    permission: 'money.reconcile',
    danger: 'R',
    fields: () => [
      {
        name: 'reason',
        label: t('field.reason'),
        kind: 'textarea',
        isRequired: true,
        rules: { maxLength: 200 },
      },
    ],
    effect: ({ name }) => t('statement.removeEffect', { name }),
    run: async ({ id }, { reason }) => {
      await staffStatementRemove({
        path: { statement_id: id },
        query: { reason: String(reason) },
        throwOnError: true,
      })
      await navigate({ to: '/admin/reconciliation' })
    },
    done: () => t('statement.removed'),
  }
}

function Comparison({ compared }: { compared: ComparedStatement }) {
  const { t } = useTranslation('console/reconciliation')
  const { statement, sums, counts } = compared
  return (
    <Stack gap="lg">
      <Section title={t('statement.sums')}>
        <Facts>
          {sums.map((one) => (
            <Fact key={one.kind} name={t(`kind.${one.kind}`)}>
              <Money amount={one.amount} currency={statement.currency} />
              {' · '}
              {t('statement.sumOf', { count: one.count })}
            </Fact>
          ))}
        </Facts>
      </Section>
      <Section title={t('statement.states')}>
        <Facts>
          {counts.map((one) => (
            <Fact key={one.state} name={t(`state.${one.state}`)}>
              {one.count}
            </Fact>
          ))}
        </Facts>
      </Section>
      <MissingThere compared={compared} />
      <Lines statement={statement} />
    </Stack>
  )
}

/** What the books have in the time of the statement and the gateway has not. */
function MissingThere({ compared }: { compared: ComparedStatement }) {
  const { t } = useTranslation('console/reconciliation')
  const { statement, missing, missing_count: missingCount } = compared
  return (
    <Section title={t('statement.missing')}>
      <Items empty={t('statement.noMissing')}>
        {missing.map((one) => (
          <Item
            key={one.number}
            name={
              <TextLink to="/admin/recharges/$id" params={{ id: String(one.recharge_no) }}>
                {t('statement.recharge', { no: one.recharge_no })}
              </TextLink>
            }
            state={<Money amount={one.amount} currency={statement.currency} />}
            about={
              <>
                {t(`kind.${one.kind}`)} · <Moment time={one.at} withTime />
              </>
            }
          />
        ))}
      </Items>
      {missingCount > missing.length && t('statement.missingMore', { count: missingCount })}
    </Section>
  )
}

function Lines({ statement }: { statement: GatewayStatement }) {
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
    { key: 'line', title: t('column.line'), width: '5rem', cell: ({ position }) => position },
    {
      key: 'number',
      title: t('column.number'),
      place: 'title',
      cell: (line) => line.transaction_id || line.trade_no || '—',
    },
    {
      key: 'kind',
      title: t('column.kind'),
      width: '7rem',
      cell: ({ kind }) => t(`kind.${kind}`),
    },
    {
      key: 'amount',
      title: t('column.amount'),
      width: '8rem',
      align: 'end',
      place: 'fact',
      cell: ({ amount }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'booked',
      title: t('column.booked'),
      width: '8rem',
      align: 'end',
      place: 'fact',
      cell: ({ booked }) => (booked ? <Money amount={booked} currency={currency} /> : '—'),
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '11rem',
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
      width: '10rem',
      cell: (line) => <LeadsTo line={line} />,
    },
    {
      key: 'time',
      title: t('column.time'),
      width: '11rem',
      cell: ({ happened_at: time }) => <Moment time={time} withTime />,
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
      <TextLink to="/admin/payment-cases">{t('statement.case', { id: line.case_id })}</TextLink>
    )
  return '—'
}
