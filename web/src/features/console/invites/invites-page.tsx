import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type {
  CheckInFigure,
  Invitation,
  InviteCodeFigure,
  InviteFigures,
} from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { useListSearch } from '../parts/list-search'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { listOf } from '../parts/list-of'
import { Section } from '../parts/section'
import { PERIODS, daysOf, invitesOf } from '../support/resource'
import classes from './invites.module.css'

/** What invites and check-ins bring and cost, and where their rules are. */
export function InvitesPage() {
  const { t } = useTranslation('console/invite')
  const { search, change } = useListSearch()
  const days = daysOf(search)
  const query = useQuery(invitesOf(days))
  return (
    <div data-wide>
      <PageHeader
        title={t('title')}
        about={t('about')}
        action={
          <SegmentedControl
            aria-label={t('period')}
            value={days}
            onChange={(value) => change({ days: value })}
            data={PERIODS.toSorted((one, other) => Number(one) - Number(other)).map((value) => ({
              value,
              label: t('days', { count: Number(value) }),
            }))}
          />
        }
      />
      <Loaded query={query} skeleton={<Skeleton height={640} radius="lg" />} hasCards>
        {(figures) => (
          <Stack gap="lg">
            <Invites figures={figures} />
            <Codes key={`codes-${query.dataUpdatedAt}`} figures={figures} />
            <Newest key={`newest-${query.dataUpdatedAt}`} figures={figures} />
            <CheckIns days={figures.check_ins} />
          </Stack>
        )}
      </Loaded>
    </div>
  )
}

function Invites({ figures }: { figures: InviteFigures }) {
  const { t } = useTranslation('console/invite')
  const currency = useCurrency()
  return (
    <Section title={t('invites')}>
      <Facts>
        <Fact name={t('signUps')}>{figures.sign_ups}</Fact>
        <Fact name={t('payers')}>{figures.payers}</Fact>
        {figures.commissions.map(({ state, count, amount }) => (
          <Fact key={state} name={t(`commission.${state}`)}>
            <Money amount={amount} currency={currency} /> · {count}
          </Fact>
        ))}
        <Fact name={t('owed')}>
          <TextLink to="/admin/commissions" search={{ owed: true } as never}>
            <Money amount={figures.owed} currency={currency} />
          </TextLink>
        </Fact>
        <Fact name={t('payouts')}>
          <TextLink to="/admin/payouts">
            <Money amount={figures.payouts_amount} currency={currency} /> · {figures.open_payouts}
          </TextLink>
        </Fact>
      </Facts>
      <Text mt="md">
        <TextLink to="/admin/settings" search={{ area: 'invites' } as never}>
          {t('inviteRules')}
        </TextLink>
      </Text>
    </Section>
  )
}

function Codes({ figures }: { figures: InviteFigures }) {
  const { t } = useTranslation('console/invite')
  return (
    <Section title={t('codes')}>
      <ResourceTable
        caption={t('codes')}
        resource={listOf('invite-codes', figures.codes, figures.from, (row) =>
          [row.inviter_id, row.code].join(':'),
        )}
        columns={useCodesColumns()}
        empty={{ text: t('noCodes') }}
      />
    </Section>
  )
}

function Newest({ figures }: { figures: InviteFigures }) {
  const { t } = useTranslation('console/invite')
  return (
    <Section title={t('newest')}>
      <ResourceTable
        caption={t('newest')}
        resource={listOf('invited', figures.newest, figures.from, ({ user_id: id }) => id)}
        columns={useNewestColumns()}
        empty={{ text: t('noCodes') }}
      />
      <TextLink to="/admin/users" search={{ inviter: '!none' } as never}>
        {t('allInvited')}
      </TextLink>
    </Section>
  )
}

function CheckIns({ days }: { days: readonly CheckInFigure[] }) {
  const { t, i18n } = useTranslation('console/invite')
  const most = Math.max(1, ...days.map(({ bytes }) => bytes))
  const sum = (key: 'users' | 'bytes') => days.reduce((all, day) => all + day[key], 0)
  const dayName = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <Section title={t('checkIns')}>
      <Facts>
        <Fact name={t('given')}>
          <Bytes bytes={sum('bytes')} />
        </Fact>
        <Fact name={t('times')}>{sum('users')}</Fact>
      </Facts>
      <ol className={classes.days} aria-label={t('perDay')}>
        {days
          .filter(({ users }) => users > 0)
          .map(({ date, users, bytes }) => (
            <li key={date} className={classes.day}>
              <span>{dayName.format(new Date(date))}</span>
              <span
                className={classes.bar}
                style={{ '--share': bytes / most } as React.CSSProperties}
                aria-hidden="true"
              />
              <span className={classes.amount}>
                <Bytes bytes={bytes} /> · {t('users', { count: users })}
              </span>
            </li>
          ))}
      </ol>
      <TextLink to="/admin/settings" search={{ area: 'check_in' } as never}>
        {t('checkInRules')}
      </TextLink>
    </Section>
  )
}

function useCodesColumns(): Column<InviteCodeFigure>[] {
  const { t } = useTranslation('console/invite')
  const currency = useCurrency()
  return [
    {
      key: 'code',
      title: t('code'),
      place: 'title',
      cell: ({ code, label, is_disabled: isOff }) =>
        [code, label, isOff && t('disabled')].filter(Boolean).join(' · '),
    },
    {
      key: 'inviter',
      title: t('inviter'),
      place: 'fact',
      cell: ({ inviter_id: id, inviter_email: email }) => <Person user={{ id, email }} />,
    },
    {
      key: 'signUps',
      title: t('signUps'),
      width: '8rem',
      align: 'end',
      place: 'fact',
      cell: ({ sign_ups: count }) => count,
    },
    {
      key: 'payers',
      title: t('payers'),
      width: '8rem',
      align: 'end',
      cell: ({ payers }) => payers,
    },
    {
      key: 'commission',
      title: t('cost'),
      width: '9rem',
      align: 'end',
      place: 'state',
      cell: ({ commission }) => <Money amount={commission} currency={currency} />,
    },
  ]
}

function useNewestColumns(): Column<Invitation>[] {
  const { t } = useTranslation('console/invite')
  const currency = useCurrency()
  return [
    {
      key: 'user',
      title: t('invited'),
      place: 'title',
      cell: ({ user_id: id, email }) => <Person user={{ id, email }} />,
    },
    {
      key: 'inviter',
      title: t('inviter'),
      place: 'fact',
      cell: ({ inviter_id: id, inviter_email: email }) => <Person user={{ id, email }} />,
    },
    { key: 'code', title: t('code'), width: '10rem', cell: ({ code }) => code },
    {
      key: 'joined',
      title: t('joined'),
      width: '9rem',
      place: 'fact',
      cell: ({ joined_at: time }) => <Moment time={time} />,
    },
    {
      key: 'orders',
      title: t('orders'),
      width: '7rem',
      align: 'end',
      cell: ({ orders }) => orders,
    },
    {
      key: 'earned',
      title: t('cost'),
      width: '8rem',
      align: 'end',
      place: 'state',
      cell: ({ earned }) => <Money amount={earned} currency={currency} />,
    },
  ]
}
