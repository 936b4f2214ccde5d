import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffStatementRemove } from '@/lib/api/gen/staff/sdk.gen'
import type { ComparedStatement, GatewayStatement } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import type { Action } from '../parts/action'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { Item, Items, Section } from '../parts/section'
import { requireFound } from '../parts/require-found'
import { statementOf } from './resources'
import { StatementLines } from './statement-lines'

const route = getRouteApi('/admin/reconciliation/$id')

/** One statement held against the books: its sums, what is absent there, and its lines. */
export function StatementPage() {
  const { t } = useTranslation('console/reconciliation')
  const { id } = route.useParams()
  const query = useQuery(statementOf(id))
  requireFound(query)
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
      <StatementLines statement={statement} />
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
