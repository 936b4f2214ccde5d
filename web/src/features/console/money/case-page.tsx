import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CasePayment, PaymentCaseResult } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { ActionButton, ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { Maker, Person } from '../parts/person'
import { Item, Items, MainAndSide, Section } from '../parts/section'
import { useNeighbours } from '../parts/use-neighbours'
import { requireFound } from '../parts/require-found'
import { AssignButtons, AssigneeName } from './assigning'
import { Bookings } from './bookings'
import { useCaseActions } from './case-actions'
import { assignedCases } from './assigned-lists'
import { caseOf } from './details'
import { GatewayEvents } from './gateway-events'
import { paymentCases } from './resources'
import { MoneyState } from './states'

const route = getRouteApi('/admin/payment-cases/$id')

/** One payment that was not credited: what came, what was expected, and what else it may be for. */
export function CasePage() {
  const { t } = useTranslation('console/money-detail')
  const { id } = route.useParams()
  const query = useQuery(caseOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header found={query.data} /> : <PageHeader title={t('case', { id })} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(found) => <MainAndSide main={<Main found={found} />} side={<Side found={found} />} />}
      </Loaded>
    </div>
  )
}

function Header({ found }: { found: PaymentCaseResult }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const title = t('case', { id: found.id })
  const [credit, ...others] = useCaseActions()
  const neighbours = useNeighbours(paymentCases, found.id, (id) => ({
    to: '/admin/payment-cases/$id',
    params: { id },
  }))
  return (
    <DetailHeader
      list={{ title: money('cases.title'), link: { to: '/admin/payment-cases' } }}
      title={title}
      state={<MoneyState state={found.state} />}
      about={money(`caseKind.${found.kind}`)}
      primary={credit && <ActionButton subject={found} action={credit} isPrimary />}
      menu={<ActionMenu subject={found} name={title} actions={others} />}
      neighbours={neighbours}
    />
  )
}

function Main({ found }: { found: PaymentCaseResult }) {
  const { t } = useTranslation('console/money-detail')
  const waits = found.waits || found.state === 'waiting'
  return (
    <>
      {waits && <Notice tone="warning">{t('caseWaits')}</Notice>}
      <Compared found={found} />
      {found.state === 'open' && (
        <Section title={t('section.candidates')}>
          <Items empty={t('noCandidates')}>
            {found.candidates.map((one) => (
              <Candidate key={one.no} recharge={one} />
            ))}
          </Items>
        </Section>
      )}
      <Section title={t('section.events')}>
        <GatewayEvents events={found.events} />
      </Section>
      <Bookings bookings={found.bookings} />
    </>
  )
}

/** What came beside what was expected. */
function Compared({ found }: { found: PaymentCaseResult }) {
  const { t } = useTranslation('console/money-detail')
  const { expected } = found
  return (
    <>
      <Section title={t('section.received')}>
        <Facts>
          <Fact name={t('fact.payAmount')}>
            <Money amount={found.amount} currency={found.currency} />
          </Fact>
          <Fact name={t('fact.gateway')}>{found.gateway}</Fact>
          <Fact name={t('fact.namedNo')}>{found.trade_no || '—'}</Fact>
          <Fact name={t('fact.transaction')}>{found.transaction_id || '—'}</Fact>
        </Facts>
      </Section>
      <Section title={t('section.expected')}>
        {expected ? (
          <Facts>
            <Fact name={t('fact.payAmount')}>
              <Money amount={expected.pay_amount} currency={expected.pay_currency} />
            </Fact>
            <Fact name={t('fact.gateway')}>{expected.gateway}</Fact>
            <Fact name={t('fact.tradeNo')}>{expected.trade_no}</Fact>
            <Fact name={t('fact.transaction')}>{expected.transaction_id || '—'}</Fact>
            <Fact name={t('fact.recharge')}>
              <RechargeLink recharge={expected} /> <MoneyState state={expected.state} />
            </Fact>
          </Facts>
        ) : (
          t('namesNothing')
        )}
      </Section>
    </>
  )
}

function RechargeLink({ recharge }: { recharge: CasePayment }) {
  return (
    <TextLink to="/admin/recharges/$id" params={{ id: String(recharge.no) }}>
      #{recharge.no}
    </TextLink>
  )
}

function Candidate({ recharge }: { recharge: CasePayment }) {
  return (
    <Item
      name={
        <>
          <RechargeLink recharge={recharge} /> ·{' '}
          <Money amount={recharge.pay_amount} currency={recharge.pay_currency} />
        </>
      }
      state={<MoneyState state={recharge.state} />}
      about={
        <>
          <Person user={recharge.user} /> · <Moment time={recharge.created_at} withTime /> ·{' '}
          {recharge.trade_no}
        </>
      }
    />
  )
}

function Side({ found }: { found: PaymentCaseResult }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const currency = useCurrency()
  const order = found.expected?.order_no
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={money('column.user')}>
          <Person user={found.user} />
        </Fact>
        <Fact name={money('column.order')}>
          {order ? (
            <TextLink to="/admin/orders/$id" params={{ id: String(order) }}>
              #{order}
            </TextLink>
          ) : (
            '—'
          )}
        </Fact>
        <Fact name={t('fact.credit')}>
          {found.credit === null ? '—' : <Money amount={found.credit} currency={currency} />}
        </Fact>
        <Fact name={t('fact.decision')}>{found.reason || '—'}</Fact>
        <Fact name={t('fact.madeBy')}>
          <Maker id={found.decided_by} email={found.decided_by_email} />
        </Fact>
        <Fact name={t('fact.gatewayAnswer')}>{found.answer || '—'}</Fact>
        <Fact name={money('column.created')}>
          <Moment time={found.created_at} withTime />
        </Fact>
        <Fact name={t('fact.ended')}>
          {found.ended_at ? <Moment time={found.ended_at} withTime /> : '—'}
        </Fact>
        <Fact name={money('column.assignee')}>
          <AssigneeName member={found.assigned_to} />
        </Fact>
      </Facts>
      <AssignButtons list={assignedCases} row={found} />
    </Section>
  )
}
