import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { StaffPayoutDetail } from '@/lib/api/gen/staff/types.gen'
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
import { useMay } from '../parts/permissions'
import { Maker, Person } from '../parts/person'
import { Item, Items, MainAndSide, Section } from '../parts/section'
import { useNeighbours } from '../parts/use-neighbours'
import { requireFound } from '../parts/require-found'
import { AssignButtons, AssigneeName } from './assigning'
import { Bookings } from './bookings'
import { assignedPayouts } from './assigned-lists'
import { payoutOf, payoutsBy } from './details'
import { usePayoutActions } from './payout-actions'
import { payouts } from './resources'
import { MoneyState } from './states'

const route = getRouteApi('/admin/payouts/$id')

/** One payout: where it goes, what the user has besides it, and what was paid before. */
export function PayoutPage() {
  const { t } = useTranslation('console/money-detail')
  const { id } = route.useParams()
  const query = useQuery(payoutOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header payout={query.data} /> : <PageHeader title={t('payout', { id })} />}
      <Loaded query={query} skeleton={<Skeleton height={320} radius="lg" />} hasCards>
        {(payout) => (
          <MainAndSide main={<Main payout={payout} />} side={<Side payout={payout} />} />
        )}
      </Loaded>
    </div>
  )
}

function Header({ payout }: { payout: StaffPayoutDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const title = t('payout', { id: payout.id })
  const [pay, ...others] = usePayoutActions()
  const neighbours = useNeighbours(payouts, payout.id, (id) => ({
    to: '/admin/payouts/$id',
    params: { id },
  }))
  return (
    <DetailHeader
      list={{ title: money('payouts.title'), link: { to: '/admin/payouts' } }}
      title={title}
      state={<MoneyState state={payout.state} />}
      primary={pay && <ActionButton subject={payout} action={pay} isPrimary />}
      menu={<ActionMenu subject={payout} name={title} actions={others} />}
      neighbours={neighbours}
    />
  )
}

function Main({ payout }: { payout: StaffPayoutDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const currency = useCurrency()
  return (
    <>
      {payout.state === 'waiting' && <Notice tone="warning">{t('payoutWaits')}</Notice>}
      <Section title={t('section.whatHappened')}>
        <Facts>
          <Fact name={money('column.amount')}>
            <Money amount={payout.amount} currency={currency} />
          </Fact>
          <Fact name={money('column.method')}>{money(`method.${payout.method}`)}</Fact>
          <Fact name={money('column.account')}>{payout.account || '—'}</Fact>
          <Fact name={t('fact.answer')}>{payout.answer || '—'}</Fact>
          <Fact name={t('fact.ended')}>
            {payout.ended_at ? <Moment time={payout.ended_at} withTime /> : '—'}
          </Fact>
        </Facts>
      </Section>
      <Earlier payout={payout} />
      <Bookings bookings={payout.bookings} />
    </>
  )
}

/** Where money went before: another account than usual is worth a question. */
function Earlier({ payout }: { payout: StaffPayoutDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const currency = useCurrency()
  const query = useQuery(payoutsBy(payout.user_id))
  return (
    <Section title={t('section.otherPayouts')}>
      <Loaded query={query} skeleton={<Skeleton height={48} />}>
        {(found) => (
          <Items empty={t('noOtherPayouts')}>
            {found
              .filter(({ id }) => id !== payout.id)
              .map((one) => (
                <Item
                  key={one.id}
                  name={
                    <TextLink to="/admin/payouts/$id" params={{ id: String(one.id) }}>
                      <Money amount={one.amount} currency={currency} />
                    </TextLink>
                  }
                  state={<MoneyState state={one.state} />}
                  about={
                    <>
                      <Moment time={one.created_at} withTime /> · {money(`method.${one.method}`)} ·{' '}
                      {one.account || '—'}
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

function Side({ payout }: { payout: StaffPayoutDetail }) {
  const { t } = useTranslation('console/money-detail')
  const { t: money } = useTranslation('console/money')
  const currency = useCurrency()
  const may = useMay()
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={money('column.user')}>
          <Person user={payout.user} />
        </Fact>
        <Fact name={t('fact.released')}>
          <Money amount={payout.released} currency={currency} />
        </Fact>
        <Fact name={t('fact.pending')}>
          <Money amount={payout.pending} currency={currency} />
        </Fact>
        {may('money.refund.read') && (
          <Fact name={t('fact.commissions')}>
            <TextLink
              to="/admin/commissions"
              search={{ inviter_id: String(payout.user_id) } as never}
            >
              {t('show')}
            </TextLink>
          </Fact>
        )}
        <Fact name={t('fact.madeBy')}>
          <Maker id={payout.made_by} email={payout.made_by_email} />
        </Fact>
        <Fact name={t('fact.decidedBy')}>
          <Maker id={payout.decided_by} email={payout.decided_by_email} />
        </Fact>
        <Fact name={money('column.created')}>
          <Moment time={payout.created_at} withTime />
        </Fact>
        <Fact name={money('column.assignee')}>
          <AssigneeName member={payout.assigned_to} />
        </Fact>
      </Facts>
      <AssignButtons list={assignedPayouts} row={payout} />
    </Section>
  )
}
