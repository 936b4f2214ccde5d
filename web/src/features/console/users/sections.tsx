import { useTranslation } from 'react-i18next'
import type {
  MergedAccount,
  UserBalance,
  UserBan,
  UserDetail,
  UserPackage,
  UserService,
} from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { useNow } from '@/lib/now'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import { ActionMenu } from '../parts/action-runner'
import { Person } from '../parts/person'
import { Item, Items, Section } from '../parts/section'
import { useAreaName } from '../parts/use-area-name'
import { useServiceActions } from './service-actions'
import classes from './users.module.css'

/** "Nov 20 – Dec 20"; without an end "Nov 20 – no end". */
function Span({ from, to }: { from: string; to: string | null }) {
  const { t } = useTranslation('console/user')
  return (
    <>
      <Moment time={from} withTime /> – {to ? <Moment time={to} withTime /> : t('noEnd')}
    </>
  )
}

function Used({ used, quota }: { used: number; quota: number | null }) {
  const { t } = useTranslation('console/user')
  return (
    <>
      <Bytes bytes={used} /> / {quota === null ? t('unlimited') : <Bytes bytes={quota} />}
    </>
  )
}

export function Services({ services, user }: { services: readonly UserService[]; user: number }) {
  const { t } = useTranslation('console/user')
  const actions = useServiceActions()
  return (
    <Section title={t('section.services')}>
      <Items empty={t('noServices')}>
        {services.map((one) => (
          <Item
            key={one.id}
            name={one.name}
            state={
              <span className={classes.state}>
                <StatusDot tone={one.ended_at ? 'neutral' : 'success'}>
                  {t(one.ended_at ? 'service.ended' : 'service.runs')}
                </StatusDot>
                <ActionMenu
                  subject={{ ...one, user_id: user }}
                  name={`${one.name} #${one.id}`}
                  actions={actions}
                  isRow
                />
              </span>
            }
            about={
              <>
                <Span from={one.started_at} to={one.ended_at ?? one.ends_at} />
                {' · '}
                <Used used={one.billed_bytes} quota={one.quota_bytes} />
                {one.auto_renew && ` · ${t('service.renews')}`}
              </>
            }
          />
        ))}
      </Items>
    </Section>
  )
}

export function Packages({ packages }: { packages: readonly UserPackage[] }) {
  const { t } = useTranslation('console/user')
  return (
    <Section title={t('section.packages')}>
      <Items>
        {packages.map((one) => (
          <Item
            key={one.id}
            name={one.name || t(`package.${one.kind}`)}
            state={
              <span>
                <Used used={one.used_bytes} quota={one.bytes} />
              </span>
            }
            about={<Span from={one.created_at} to={one.expires_at} />}
          />
        ))}
      </Items>
    </Section>
  )
}

export function Bans({ bans }: { bans: readonly UserBan[] }) {
  const { t } = useTranslation('console/user')
  return (
    <Section title={t('section.bans')}>
      <Items>
        {bans.map((ban) => (
          <Item
            key={ban.id}
            name={ban.reason}
            state={<BanState ban={ban} />}
            about={
              <>
                <Span from={ban.starts_at} to={ban.ended_at ?? ban.ends_at} />
                {ban.remark && ` · ${ban.remark}`}
              </>
            }
          />
        ))}
      </Items>
    </Section>
  )
}

function BanState({ ban }: { ban: UserBan }) {
  const { t } = useTranslation('console/user')
  const now = useNow()
  const isOver = ban.ended_at !== null || (ban.ends_at !== null && Date.parse(ban.ends_at) <= now)
  if (isOver) return <StatusDot tone="neutral">{t('ban.over')}</StatusDot>
  if (Date.parse(ban.starts_at) > now)
    return <StatusDot tone="warning">{t('ban.planned')}</StatusDot>
  return <StatusDot tone="error">{t('ban.inForce')}</StatusDot>
}

export function Wallet({ wallet }: { wallet: UserBalance }) {
  const { t } = useTranslation('console/user')
  const currency = useCurrency()
  const amounts = ['available', 'held', 'commission', 'pending', 'paying_out'] as const
  return (
    <Section title={t('section.wallet')}>
      <Facts>
        {amounts.map((name) => (
          <Fact key={name} name={t(`wallet.${name}`)}>
            <Money amount={wallet[name]} currency={currency} />
          </Fact>
        ))}
      </Facts>
    </Section>
  )
}

/** The account on the other side of a merge, and when that was. */
function Merged({ account }: { account: MergedAccount }) {
  return (
    <div>
      <Person user={{ id: account.id }} /> · <Moment time={account.at} />
    </div>
  )
}

export function UserFacts({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console/user')
  const areaName = useAreaName()
  const moment = (time: string | null) => (time ? <Moment time={time} withTime /> : '—')
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={t('fact.name')}>{user.name || '—'}</Fact>
        <Fact name={t('column.role')}>{user.role || '—'}</Fact>
        <Fact name={t('column.created')}>{moment(user.created_at)}</Fact>
        <Fact name={t('fact.verified')}>{moment(user.email_verified_at)}</Fact>
        <Fact name={t('fact.signedIn')}>{moment(user.signed_in_at)}</Fact>
        <Fact name={t('fact.terms')}>{moment(user.terms_accepted_at)}</Fact>
        <Fact name={t('column.seen')}>{moment(user.seen_at)}</Fact>
        <Fact name={t('column.fetches')}>{user.fetches}</Fact>
        <Fact name={t('column.area')}>{areaName(user.area)}</Fact>
        <Fact name={t('fact.inviter')}>
          <Person user={user.inviter} />
        </Fact>
        <Fact name={t('column.label')}>{user.labels.join(', ') || '—'}</Fact>
        {user.merged_into && (
          <Fact name={t('fact.mergedInto')}>
            <Merged account={user.merged_into} />
          </Fact>
        )}
        {user.merged_from.length > 0 && (
          <Fact name={t('fact.mergedFrom')}>
            {user.merged_from.map((account) => (
              <Merged key={account.id} account={account} />
            ))}
          </Fact>
        )}
      </Facts>
    </Section>
  )
}
