import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { RefundRequestRow, StaffRefundRequest } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
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
import { AssignButtons, AssigneeName } from './assigning'
import { Bookings } from './bookings'
import { assignedRefunds } from './assigned-lists'
import { orderOf, requestOf, requestsBy } from './details'
import { useRefundActions } from './refund-actions'
import { refundRequests } from './resources'
import { MoneyState } from './states'

const route = getRouteApi('/admin/refunds/$id')

/** One refund request: why, what granting it would give back, the order and what else the user asked for. */
export function RefundRequestPage() {
  const { t } = useTranslation('console/money-detail')
  const { id } = route.useParams()
  const query = useQuery(requestOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? (
        <Header request={query.data.request} />
      ) : (
        <PageHeader title={t('refundRequest', { id })} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={320} radius="lg" />} hasCards>
        {(found) => (
          <MainAndSide main={<Main found={found} />} side={<Side request={found.request} />} />
        )}
      </Loaded>
    </div>
  )
}

function Header({ request }: { request: RefundRequestRow }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const title = t('refundRequest', { id: request.id })
  const [grant, ...others] = useRefundActions()
  const neighbours = useNeighbours(refundRequests, request.id, (id) => ({
    to: '/admin/refunds/$id',
    params: { id },
  }))
  return (
    <DetailHeader
      list={{ title: money('refunds.title'), link: { to: '/admin/refunds' } }}
      title={title}
      state={<MoneyState state={request.state} />}
      primary={grant && <ActionButton subject={request} action={grant} isPrimary />}
      menu={<ActionMenu subject={request} name={title} actions={others} />}
      neighbours={neighbours}
    />
  )
}

function Main({ found: { request, refundable } }: { found: StaffRefundRequest }) {
  const { t } = useTranslation('console/money-detail')
  const currency = useCurrency()
  const may = useMay()
  return (
    <>
      <Section title={t('section.whatHappened')}>
        <Text mb="sm">{request.reason}</Text>
        <Facts>
          {request.state === 'open' && (
            <Fact name={t('fact.refundable')}>
              <Money amount={refundable} currency={currency} />
            </Fact>
          )}
          <Fact name={t('fact.answer')}>{request.answer || '—'}</Fact>
          <Fact name={t('fact.ended')}>
            {request.ended_at ? <Moment time={request.ended_at} withTime /> : '—'}
          </Fact>
        </Facts>
      </Section>
      {may('order.read') && <Order no={request.order_no} />}
      <Others request={request} />
    </>
  )
}

/** The order, and what it moved, with what was given back. */
function Order({ no }: { no: number }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const query = useQuery(orderOf(String(no)))
  return (
    <Loaded query={query} skeleton={<Skeleton height={200} radius="lg" />} hasCards>
      {(order) => (
        <>
          <Section title={money('column.order')}>
            <Facts>
              <Fact name={money('column.item')}>{order.plan.name}</Fact>
              <Fact name={money('column.state')}>
                <MoneyState state={order.state} />
              </Fact>
              <Fact name={t('total')}>
                <Money amount={order.total} currency={order.currency} />
              </Fact>
              <Fact name={t('fact.paid')}>
                {order.paid_at ? <Moment time={order.paid_at} withTime /> : '—'}
              </Fact>
              <Fact name={t('fact.refunded')}>
                {order.refunded === null ? (
                  '—'
                ) : (
                  <Money amount={order.refunded} currency={order.currency} />
                )}
              </Fact>
            </Facts>
          </Section>
          <Bookings bookings={order.bookings} />
        </>
      )}
    </Loaded>
  )
}

function Others({ request }: { request: RefundRequestRow }) {
  const { t } = useTranslation('console/money-detail')
  const query = useQuery(requestsBy(request.user_id))
  return (
    <Section title={t('section.otherRequests')}>
      <Loaded query={query} skeleton={<Skeleton height={48} />}>
        {(requests) => (
          <Items empty={t('noOtherRequests')}>
            {requests
              .filter(({ id }) => id !== request.id)
              .toReversed()
              .map((one) => (
                <Item
                  key={one.id}
                  name={
                    <TextLink to="/admin/refunds/$id" params={{ id: String(one.id) }}>
                      {t('order', { no: one.order_no })}
                    </TextLink>
                  }
                  state={<MoneyState state={one.state} />}
                  about={
                    <>
                      <Moment time={one.created_at} withTime /> · {one.reason}
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

function Side({ request }: { request: RefundRequestRow }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={money('column.user')}>
          <Person user={request.user} />
        </Fact>
        <Fact name={money('column.item')}>{request.plan.name}</Fact>
        <Fact name={money('column.order')}>
          <TextLink to="/admin/orders/$id" params={{ id: String(request.order_no) }}>
            #{request.order_no}
          </TextLink>
        </Fact>
        {request.service_id !== null && <Fact name={t('fact.service')}>#{request.service_id}</Fact>}
        {request.package_id !== null && <Fact name={t('fact.package')}>#{request.package_id}</Fact>}
        <Fact name={money('column.created')}>
          <Moment time={request.created_at} withTime />
        </Fact>
        <Fact name={money('column.assignee')}>
          <AssigneeName member={request.assigned_to} />
        </Fact>
      </Facts>
      <AssignButtons list={assignedRefunds} row={request} />
    </Section>
  )
}
