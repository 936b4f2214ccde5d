import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { StaffMember } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { MainAndSide, Section } from '../parts/section'
import { requireFound } from '../parts/require-found'
import { useMemberActions } from './member-actions'
import { MemberFactor } from './member-factor'
import { memberOf, rolesQuery } from './resource'
import { RolePermissions } from './role-permissions'
import { useRoleName } from './role-name'

const route = getRouteApi('/admin/staff/$id')

/** One member of staff: what they may do, what they gave today, and where their changes are. */
export function MemberPage() {
  const { t } = useTranslation('console/team')
  const { id } = route.useParams()
  const query = useQuery(memberOf(id))
  requireFound(query)
  const actions = useMemberActions()
  return (
    <div data-wide>
      {query.data ? (
        <DetailHeader
          list={{ title: t('member.title'), link: { to: '/admin/staff' } }}
          title={query.data.email}
          state={<MemberFactor member={query.data} />}
          about={`${query.data.name} · #${query.data.id}`}
          menu={<ActionMenu subject={query.data} name={query.data.email} actions={actions} />}
        />
      ) : (
        <PageHeader title={t('member.title')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(member) => (
          <MainAndSide main={<Permissions role={member.role} />} side={<Known member={member} />} />
        )}
      </Loaded>
    </div>
  )
}

function Permissions({ role: name }: { role: string }) {
  const query = useQuery(rolesQuery())
  return (
    <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
      {(list) => <RolePermissions list={list} role={list.roles.find((one) => one.name === name)} />}
    </Loaded>
  )
}

function Known({ member }: { member: StaffMember }) {
  const { t } = useTranslation('console/team')
  const nameOf = useRoleName()
  const currency = useCurrency()
  const may = useMay()
  return (
    <Section title={t('member.facts')}>
      <Stack gap="sm">
        <Facts>
          <Fact name={t('column.role')}>{nameOf(member.role)}</Fact>
          <Fact name={t('column.seen')}>
            {member.seen_at ? <Moment time={member.seen_at} withTime /> : '—'}
          </Fact>
          <Fact name={t('column.sessions')}>{member.sessions}</Fact>
          <Fact name={t('member.given')}>
            <Money amount={member.given_today} currency={currency} />
            {' / '}
            <Money amount={member.daily_limit} currency={currency} />
          </Fact>
        </Facts>
        {may('audit.read') && (
          <Text>
            <TextLink
              to="/admin/audit-log"
              search={{ member: member.id } as never}
              underline="hover"
            >
              {t('member.audit')}
            </TextLink>
          </Text>
        )}
        {may('user.read') && (
          <Text>
            <TextLink
              to="/admin/users/$id"
              params={{ id: String(member.id) } as never}
              underline="hover"
            >
              {t('member.user')}
            </TextLink>
          </Text>
        )}
      </Stack>
    </Section>
  )
}
