import { useTranslation } from 'react-i18next'
import type { UserRow } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot, type Tone } from '@/ui/status-dot'
import type { Filter } from '../parts/filters'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useAreaName } from '../parts/use-area-name'
import { usePlanFilter } from '../parts/use-plan-filter'

const states = ['active', 'none', 'exhausted', 'expired', 'banned', 'closed'] as const
const roles = ['owner', 'admin', 'finance', 'support', 'viewer'] as const

const tones: Record<string, Tone> = {
  active: 'success',
  exhausted: 'warning',
  expired: 'warning',
  banned: 'error',
}

export function UserState({ state }: { state: UserRow['state'] }) {
  const { t } = useTranslation('console/user')
  return <StatusDot tone={tones[state] ?? 'neutral'}>{t(`state.${state}`)}</StatusDot>
}

export function useUserColumns(): Column<UserRow>[] {
  return [...useShownColumns(), ...useExtraColumns()]
}

/** What a list of users shows besides, to who chooses it. */
function useExtraColumns(): Column<UserRow>[] {
  const { t } = useTranslation('console/user')
  const areaName = useAreaName()
  const extra = { isExtra: true } as const
  return [
    {
      ...extra,
      key: 'inviter',
      title: t('column.invitedBy'),
      width: '12rem',
      cell: ({ inviter }) => (inviter ? <Person user={inviter} /> : '—'),
    },
    {
      ...extra,
      key: 'area',
      title: t('column.area'),
      width: '8rem',
      cell: ({ area }) => areaName(area),
    },
    {
      ...extra,
      key: 'fetches',
      title: t('column.fetches'),
      width: '7rem',
      align: 'end',
      cell: ({ fetches }) => fetches,
    },
    {
      ...extra,
      key: 'label',
      title: t('column.label'),
      width: '10rem',
      cell: ({ labels }) => labels.join(', ') || '—',
    },
    {
      ...extra,
      key: 'role',
      title: t('column.role'),
      width: '8rem',
      cell: ({ role }) =>
        roles
          .filter((one) => one === role)
          .map((one) => t(`role.${one}`))
          .join() || '—',
    },
    {
      ...extra,
      key: 'created',
      title: t('column.created'),
      width: '8rem',
      cell: ({ created_at: time }) => <Moment time={time} />,
    },
  ]
}

function useShownColumns(): Column<UserRow>[] {
  const { t } = useTranslation('console/user')
  const currency = useCurrency()
  return [
    {
      key: 'email',
      title: t('column.email'),
      place: 'title',
      cell: ({ email }) => email,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '7.5rem',
      cell: ({ state }) => <UserState state={state} />,
    },
    {
      key: 'plan',
      title: t('column.plan'),
      width: '7rem',
      cell: ({ plan }) => plan?.name ?? '—',
    },
    {
      key: 'ends',
      title: t('column.ends'),
      place: 'fact',
      width: '8rem',
      sort: 'ends',
      cell: ({ ends_at: time }) => (time ? <Moment time={time} isEnd /> : '—'),
    },
    {
      key: 'used',
      title: t('column.used'),
      width: '6rem',
      sort: 'used',
      align: 'end',
      cell: ({ used_percent: part }) => (part === null ? '—' : `${part}%`),
    },
    {
      key: 'balance',
      title: t('column.balance'),
      place: 'fact',
      width: '6.5rem',
      sort: 'balance',
      align: 'end',
      cell: ({ balance }) => <Money amount={balance} currency={currency} />,
    },
    {
      key: 'seen',
      title: t('column.seen'),
      width: '7.5rem',
      sort: 'seen',
      cell: ({ seen_at: time }) => (time ? <Moment time={time} /> : '—'),
    },
  ]
}

export function useUserFilters(): Filter[] {
  const { t } = useTranslation('console/user')
  return [
    {
      key: 'state',
      title: t('column.state'),
      kind: 'choice',
      options: states.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    { key: 'ends', title: t('column.ends'), kind: 'date' },
    { key: 'used', title: t('column.used'), kind: 'range' },
    { key: 'balance', title: t('column.balance'), kind: 'range' },
    { key: 'seen', title: t('column.seen'), kind: 'date' },
    { key: 'created', title: t('column.created'), kind: 'date' },
    usePlanFilter({ isPlan: true, hasNone: true }),
    { key: 'inviter', title: t('column.inviter'), kind: 'reference' },
    { key: 'area', title: t('column.area'), kind: 'text' },
    { key: 'fetches', title: t('column.fetches'), kind: 'range' },
    { key: 'domain', title: t('column.domain'), kind: 'text' },
    { key: 'label', title: t('column.label'), kind: 'text' },
    {
      key: 'role',
      title: t('column.role'),
      kind: 'choice',
      options: roles.map((value) => ({ value, label: t(`role.${value}`) })),
    },
  ]
}
