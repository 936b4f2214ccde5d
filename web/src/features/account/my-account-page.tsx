import { Card, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { LinkProps } from '@tanstack/react-router'
import {
  Bell,
  CalendarClock,
  KeyRound,
  type LucideIcon,
  MapPin,
  Settings,
  ShieldCheck,
  UserRound,
  UserX,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { accountMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { AccountMeResponse } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Outline } from '@/ui/outline'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { CardLink } from './components/card-link'
import classes from './account-pages.module.css'

type Place = {
  to: NonNullable<LinkProps['to']>
  key:
    | 'security'
    | 'password'
    | 'profile'
    | 'notices'
    | 'logins'
    | 'activity'
    | 'settings'
    | 'close'
  icon: LucideIcon
}

const places: Place[] = [
  { to: '/user/account/security', key: 'security', icon: ShieldCheck },
  { to: '/user/account/edit-password', key: 'password', icon: KeyRound },
  { to: '/user/account/edit-profile', key: 'profile', icon: UserRound },
  { to: '/user/account/notices', key: 'notices', icon: Bell },
  { to: '/user/account/login-ip-log', key: 'logins', icon: MapPin },
  { to: '/user/account/activity', key: 'activity', icon: CalendarClock },
  { to: '/settings', key: 'settings', icon: Settings },
  { to: '/user/account/close', key: 'close', icon: UserX },
]

/** Who one is here, and the way to everything about it. */
export function MyAccountPage() {
  const { t } = useTranslation('security')
  const { t: common } = useTranslation()
  const me = useQuery(accountMeOptions())
  return (
    <>
      <PageHeader title={t('account.title')} about={t('account.about')} />
      <div className={classes.page}>
        <Loaded query={me} skeleton={<PersonOutline />} hasCards>
          {(found) => <Person me={found} />}
        </Loaded>
        <nav aria-label={t('account.title')} className={classes.links}>
          {places.map(({ to, key, icon }) => (
            <CardLink
              key={key}
              to={to}
              icon={icon}
              title={t(`place.${key}.title`)}
              text={t(`place.${key}.text`)}
            />
          ))}
        </nav>
        <div>
          <ButtonLink variant="default" to="/auth/sign-out" preload={false}>
            {common('account.signOut')}
          </ButtonLink>
        </div>
      </div>
    </>
  )
}

type PersonFacts = Pick<
  AccountMeResponse,
  'user_name' | 'email' | 'user_id' | 'created_at' | 'is_verified'
>

const nobody: PersonFacts = {
  user_name: '-',
  email: '-',
  user_id: 0,
  created_at: '2026-01-01T00:00:00Z',
  is_verified: true,
}

function PersonOutline() {
  return (
    <Outline>
      <Person me={nobody} />
    </Outline>
  )
}

function Person({ me }: { me: PersonFacts }) {
  const { t } = useTranslation('security')
  return (
    <Card component="section" aria-label={t('account.person')} className={classes.person}>
      <span className={classes.initial} aria-hidden="true">
        {Array.from(me.user_name)[0]?.toUpperCase()}
      </span>
      <div className={classes.names}>
        <Title order={2} size="h2">
          {me.user_name}
        </Title>
        <Text c="dimmed">{me.email}</Text>
      </div>
      <Facts flows>
        <Fact name={t('account.id')}>{me.user_id}</Fact>
        <Fact name={t('account.since')}>
          <Moment time={me.created_at} withYear />
        </Fact>
        <Fact name={t('account.email')}>
          <StatusDot tone={me.is_verified ? 'success' : 'neutral'}>
            {me.is_verified ? t('account.verified') : t('account.unverified')}
          </StatusDot>
        </Fact>
      </Facts>
    </Card>
  )
}
