import { Box, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Booking } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { Section } from '../parts/section'
import { Postings } from './bookings'
import { ledger, ledgerAccounts } from './resources'

/** Every movement of money, and what each account has. */
export function LedgerPage() {
  const { t } = useTranslation('console/ledger')
  const { isLoading } = useQuery(ledgerAccounts())
  return (
    <ListPage
      title={t('title')}
      about={t('about')}
      resource={ledger}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('search') }}
      empty={t('empty')}
      isWaiting={isLoading}
      above={
        <Box mb="lg">
          <Accounts />
        </Box>
      }
    />
  )
}

function Accounts() {
  const { t } = useTranslation('console/ledger')
  const currency = useCurrency()
  const query = useQuery(ledgerAccounts())
  return (
    <Section title={t('accounts')}>
      <Loaded query={query} skeleton={<Skeleton height={96} />}>
        {(accounts) => (
          <Facts>
            {accounts.map((one) => (
              <Fact
                key={`${one.account} ${one.gateway}`}
                name={[t(`account.${one.account}`), one.gateway, one.is_users && t('usersOf')]
                  .filter(Boolean)
                  .join(' · ')}
              >
                <Money amount={one.balance} currency={currency} />
              </Fact>
            ))}
          </Facts>
        )}
      </Loaded>
    </Section>
  )
}

function useColumns(): Column<Booking>[] {
  const { t } = useTranslation('console/ledger')
  return [
    { key: 'id', title: t('column.id'), width: '6rem', cell: ({ id }) => `#${id}` },
    {
      key: 'reason',
      title: t('column.reason'),
      place: 'title',
      width: '12rem',
      cell: ({ reason }) => t(`reason.${reason as 'purchase'}`, reason),
    },
    {
      key: 'postings',
      title: t('column.postings'),
      place: 'fact',
      cell: (row) => <Postings booking={row} />,
    },
    {
      key: 'reference',
      title: t('column.reference'),
      place: 'fact',
      width: '9rem',
      cell: (row) => <Reference booking={row} />,
    },
    { key: 'note', title: t('column.note'), width: '7rem', cell: ({ note }) => note || '—' },
    {
      key: 'created',
      title: t('column.created'),
      width: '11rem',
      sort: 'created',
      place: 'state',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

/** What moved the money, and the way to it. */
function Reference({ booking }: { booking: Booking }) {
  const { t } = useTranslation('console/ledger')
  const { reference_kind: kind, reference_no: no } = booking
  const name = `${t(`reference.${kind}`)} #${no}`
  const params = { id: String(no) }
  if (kind === 'order')
    return (
      <TextLink to="/admin/orders/$id" params={params}>
        {name}
      </TextLink>
    )
  if (kind === 'recharge')
    return (
      <TextLink to="/admin/recharges/$id" params={params}>
        {name}
      </TextLink>
    )
  return name
}

const reasons = [
  'recharge',
  'purchase',
  'plan_change',
  'refund',
  'gateway_refund',
  'cd_key',
  'adjustment',
  'commission',
  'commission_reversed',
  'commission_settled',
  'commission_withdrawal',
  'commission_payout',
  'invite_purchase',
  'payment_case',
  'account_merge',
  'settlement',
  'settlement_reversed',
] as const

const accounts = [
  'clearing',
  'outside',
  'sales',
  'refunds',
  'gifts',
  'fees',
  'bank',
  'rounding',
] as const

function useFilters(): Filter[] {
  const { t } = useTranslation('console/ledger')
  return [
    {
      key: 'reason',
      title: t('column.reason'),
      kind: 'choice',
      options: reasons.map((value) => ({ value, label: t(`reason.${value}`) })),
    },
    {
      key: 'account',
      title: t('column.account'),
      kind: 'choice',
      options: accounts.map((value) => ({ value, label: t(`account.${value}`) })),
    },
    { key: 'user', title: t('column.user'), kind: 'reference' },
    { key: 'gateway', title: t('column.gateway'), kind: 'text' },
    { key: 'created', title: t('column.created'), kind: 'date' },
  ]
}
