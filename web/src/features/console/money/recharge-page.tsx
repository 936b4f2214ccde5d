import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { RechargeDetail } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { Notice } from '@/ui/notice'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { FirstLoad } from '../parts/first-load'
import { ActionButton, ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { Person } from '../parts/person'
import { Item, Items, MainAndSide, Section } from '../parts/section'
import { useNeighbours } from '../parts/use-neighbours'
import { requireFound } from '../parts/require-found'
import { Bookings } from './bookings'
import { eventsOf, rechargeOf, returnsOf } from './details'
import { GatewayEvents } from './gateway-events'
import { useRechargeActions } from './recharge-actions'
import { recharges } from './resources'
import { MoneyState } from './states'

const route = getRouteApi('/admin/recharges/$id')

/** One recharge: what the gateway said, word for word, what it moved, and what went back. */
export function RechargePage() {
  const { t } = useTranslation('console/money-detail')
  const { id } = route.useParams()
  const query = useQuery(rechargeOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? (
        <Header recharge={query.data} />
      ) : (
        <PageHeader title={t('recharge', { no: id })} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(recharge) => (
          <MainAndSide main={<Main recharge={recharge} />} side={<Side recharge={recharge} />} />
        )}
      </Loaded>
    </div>
  )
}

function Header({ recharge }: { recharge: RechargeDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const title = t('recharge', { no: recharge.no })
  const [confirm, ...others] = useRechargeActions()
  const neighbours = useNeighbours(recharges, recharge.no, (id) => ({
    to: '/admin/recharges/$id',
    params: { id },
  }))
  return (
    <DetailHeader
      list={{ title: money('recharges.title'), link: { to: '/admin/recharges' } }}
      title={title}
      state={<MoneyState state={recharge.state} />}
      about={recharge.gateway}
      primary={confirm && <ActionButton subject={recharge} action={confirm} isPrimary />}
      menu={<ActionMenu subject={recharge} name={title} actions={others} />}
      neighbours={neighbours}
    />
  )
}

function Main({ recharge }: { recharge: RechargeDetail }) {
  const { t } = useTranslation('console/money-detail')
  const may = useMay()
  const { currency, no } = recharge
  const events = useQuery({ ...eventsOf(no), enabled: may('recharge.notify.read') })
  const returns = useQuery({ ...returnsOf(no), enabled: may('money.refund.read') })
  return (
    <FirstLoad isLoading={events.isLoading || returns.isLoading}>
      {recharge.waits && <Notice tone="warning">{t('waitsForSecond')}</Notice>}
      <Section title={t('section.amounts')}>
        <Facts>
          <Fact name={t('fact.credited')}>
            <Money amount={recharge.amount} currency={currency} />
          </Fact>
          <Fact name={t('fact.fee')}>
            <Money amount={recharge.fee} currency={currency} />
          </Fact>
          <Fact name={t('fact.payAmount')}>
            <Money amount={recharge.pay_amount} currency={recharge.pay_currency} />
          </Fact>
          <Fact name={t('fact.refunded')}>
            <Money amount={recharge.refunded} currency={currency} />
          </Fact>
          <Fact name={t('fact.refunding')}>
            <Money amount={recharge.refunding} currency={currency} />
          </Fact>
        </Facts>
      </Section>
      {may('recharge.notify.read') && <Events no={no} />}
      {may('money.refund.read') && <Returns no={no} currency={currency} />}
      <Bookings bookings={recharge.bookings} />
    </FirstLoad>
  )
}

function Events({ no }: { no: number }) {
  const { t } = useTranslation('console/money-detail')
  const query = useQuery(eventsOf(no))
  return (
    <Section title={t('section.events')}>
      <Loaded query={query} skeleton={<Skeleton height={120} />}>
        {(events) => <GatewayEvents events={events} />}
      </Loaded>
    </Section>
  )
}

function Returns({ no, currency }: { no: number; currency: string }) {
  const { t } = useTranslation('console/money-detail')
  const query = useQuery(returnsOf(no))
  if (query.data?.length === 0) return null
  return (
    <Section title={t('section.returns')}>
      <Loaded query={query} skeleton={<Skeleton height={48} />}>
        {(returns) => (
          <Items>
            {returns.map((one) => (
              <Item
                key={one.id}
                name={<Money amount={one.amount} currency={currency} />}
                state={
                  <span>{t(one.waits ? 'returnState.waits' : `returnState.${one.state}`)}</span>
                }
                about={
                  <>
                    {one.no} · <Moment time={one.created_at} withTime /> · {one.reason}
                    {one.answer && ` · ${one.answer}`}
                  </>
                }
              />
            ))}
          </Items>
        )}
      </Loaded>
    </Section>
  )
}

function Side({ recharge }: { recharge: RechargeDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={money('column.user')}>
          <Person user={recharge.user} />
        </Fact>
        <Fact name={money('column.order')}>
          {recharge.order_no ? (
            <TextLink to="/admin/orders/$id" params={{ id: String(recharge.order_no) }}>
              #{recharge.order_no}
            </TextLink>
          ) : (
            '—'
          )}
        </Fact>
        <Fact name={t('fact.tradeNo')}>{recharge.trade_no}</Fact>
        <Fact name={money('column.transaction')}>{recharge.transaction_id || '—'}</Fact>
        <Fact name={t('fact.cases')}>
          {recharge.case_ids.length === 0
            ? '—'
            : recharge.case_ids.map((id) => (
                <span key={id}>
                  <TextLink to="/admin/payment-cases/$id" params={{ id: String(id) }}>
                    #{id}
                  </TextLink>{' '}
                </span>
              ))}
        </Fact>
        <Fact name={t('fact.invoice')}>{t(recharge.invoice_uuid ? 'issued' : 'notIssued')}</Fact>
        <Fact name={money('column.created')}>
          <Moment time={recharge.created_at} withTime />
        </Fact>
        <Fact name={t('fact.expires')}>
          <Moment time={recharge.expires_at} withTime />
        </Fact>
        <Fact name={t('fact.paid')}>
          {recharge.paid_at ? <Moment time={recharge.paid_at} withTime /> : '—'}
        </Fact>
        <Fact name={money('column.label')}>{recharge.labels.join(', ') || '—'}</Fact>
      </Facts>
    </Section>
  )
}
