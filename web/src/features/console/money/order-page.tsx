import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { OrderDetail } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { ActionButton, ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { Person } from '../parts/person'
import { Item, Items, MainAndSide, Section } from '../parts/section'
import { useNeighbours } from '../parts/use-neighbours'
import { requireFound } from '../parts/require-found'
import { Bookings } from './bookings'
import { orderOf, requestsOf } from './details'
import { useOrderActions } from './order-actions'
import { orders } from './resources'
import { MoneyState } from './states'

const route = getRouteApi('/admin/orders/$id')

/** One order: what was bought, how it was paid, what it led to, what went back. */
export function OrderPage() {
  const { t } = useTranslation('console/money-detail')
  const { id } = route.useParams()
  const query = useQuery(orderOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header order={query.data} /> : <PageHeader title={t('order', { no: id })} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(order) => <MainAndSide main={<Main order={order} />} side={<Side order={order} />} />}
      </Loaded>
    </div>
  )
}

function Header({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const [paid, ...others] = useOrderActions()
  const neighbours = useNeighbours(orders, order.no, (id) => ({
    to: '/admin/orders/$id',
    params: { id },
  }))
  return (
    <DetailHeader
      list={{ title: money('orders.title'), link: { to: '/admin/orders' } }}
      title={t('order', { no: order.no })}
      state={<MoneyState state={order.state} />}
      about={order.plan.name}
      primary={paid && <ActionButton subject={order} action={paid} isPrimary />}
      menu={<ActionMenu subject={order} name={t('order', { no: order.no })} actions={others} />}
      neighbours={neighbours}
    />
  )
}

function Main({ order }: { order: OrderDetail }) {
  const may = useMay()
  return (
    <>
      <Lines order={order} />
      <Payment order={order} />
      <Fulfilment order={order} />
      <Refund order={order} />
      {may('money.refund.read') && <Requests no={order.no} />}
      <Bookings bookings={order.bookings} />
    </>
  )
}

function Lines({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('console/money-detail')
  return (
    <Section title={t('section.lines')}>
      <Items>
        {order.lines.map((line, index) => (
          <Item
            key={index}
            name={line.name}
            state={<Money amount={line.amount} currency={order.currency} />}
            about={
              line.months ? t('lineMonths', { count: line.months }) : t(`lineKind.${line.kind}`)
            }
          />
        ))}
        <Item
          name={<b>{t('total')}</b>}
          state={
            <b>
              <Money amount={order.total} currency={order.currency} />
            </b>
          }
          about={null}
        />
      </Items>
    </Section>
  )
}

function Payment({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('console/money-detail')
  return (
    <Section title={t('section.payment')}>
      <Facts>
        <Fact name={t('fact.recharge')}>
          {order.recharge_no ? (
            <TextLink to="/admin/recharges/$id" params={{ id: String(order.recharge_no) }}>
              #{order.recharge_no}
            </TextLink>
          ) : (
            t('fromWallet')
          )}
        </Fact>
        <Fact name={t('fact.paid')}>
          {order.paid_at ? <Moment time={order.paid_at} withTime /> : '—'}
        </Fact>
        {order.state === 'pending' && (
          <Fact name={t('fact.waitsUntil')}>
            <Moment time={order.expires_at} withTime />
          </Fact>
        )}
      </Facts>
    </Section>
  )
}

function Fulfilment({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('console/money-detail')
  if (order.service_id === null && order.package_id === null) return null
  const moment = (time: string | null) => (time ? <Moment time={time} withTime /> : '—')
  return (
    <Section title={t('section.fulfilment')}>
      <Facts>
        <Fact name={t(order.service_id === null ? 'fact.package' : 'fact.service')}>
          #{order.service_id ?? order.package_id}
        </Fact>
        {order.period_from && (
          <Fact name={t('fact.period')}>
            {moment(order.period_from)} – {order.period_to ? moment(order.period_to) : t('noEnd')}
          </Fact>
        )}
        <Fact name={t('fact.ends')}>{moment(order.ends_at)}</Fact>
        <Fact name={t('fact.renews')}>{t(order.auto_renew ? 'yes' : 'no')}</Fact>
      </Facts>
    </Section>
  )
}

function Refund({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('console/money-detail')
  if (order.state !== 'paid' && order.state !== 'refunded') return null
  return (
    <Section title={t('section.refund')}>
      <Facts>
        {order.refunded === null ? (
          <Fact name={t('fact.refundable')}>
            <Money amount={order.refundable} currency={order.currency} />
          </Fact>
        ) : (
          <>
            <Fact name={t('fact.refunded')}>
              <Money amount={order.refunded} currency={order.currency} />
            </Fact>
            <Fact name={t('fact.refundedAt')}>
              {order.refunded_at ? <Moment time={order.refunded_at} withTime /> : '—'}
            </Fact>
          </>
        )}
      </Facts>
    </Section>
  )
}

function Requests({ no }: { no: number }) {
  const { t } = useTranslation('console/money-detail')
  const query = useQuery(requestsOf(no))
  if (query.data?.length === 0) return null
  return (
    <Section title={t('section.requests')}>
      <Loaded query={query} skeleton={<Skeleton height={48} />}>
        {(requests) => (
          <Items>
            {requests.map((one) => (
              <Item
                key={one.id}
                name={
                  <TextLink to="/admin/refunds/$id" params={{ id: String(one.id) }}>
                    {one.reason}
                  </TextLink>
                }
                state={<MoneyState state={one.state} />}
                about={
                  <>
                    <Moment time={one.created_at} withTime />
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

function Side({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const may = useMay()
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={money('column.user')}>
          <Person user={order.user} />
        </Fact>
        <Fact name={money('column.kind')}>{money(`orderKind.${order.kind}`)}</Fact>
        <Fact name={money('column.item')}>
          {may('plan.read') ? (
            <TextLink to="/admin/plans/$id" params={{ id: String(order.plan.id) }}>
              {order.plan.name}
            </TextLink>
          ) : (
            order.plan.name
          )}
        </Fact>
        <Fact name={t('fact.coupon')}>{order.coupon || '—'}</Fact>
        <Fact name={t('fact.invoice')}>{t(order.invoice_uuid ? 'issued' : 'notIssued')}</Fact>
        <Fact name={money('column.created')}>
          <Moment time={order.created_at} withTime />
        </Fact>
        <Fact name={money('column.label')}>{order.labels.join(', ') || '—'}</Fact>
      </Facts>
    </Section>
  )
}
