import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { StaffAuditRule } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { TextLink } from '@/ui/text-link'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import classes from './guard.module.css'
import { rules } from './resource'
import { useRuleActions, useRuleAddition } from './rule-actions'
import { RuleTester } from './rule-tester'

/** What nodes refuse to connect to, and a test of it. */
export function RulesPage() {
  const { t } = useTranslation('console/guard')
  const may = useMay()
  return (
    <ListPage
      title={t('rules.title')}
      about={t('rules.about')}
      resource={rules}
      columns={useColumns()}
      actions={useRuleActions()}
      nameOf={({ name }) => name}
      empty={t('rules.empty')}
      action={
        <Group gap="xs">
          {may('node.rule.hit.read') && (
            <ButtonLink variant="default" size="sm" to="/admin/audit-rules/hits">
              {t('hits.title')}
            </ButtonLink>
          )}
          <ActionButton subject={undefined} action={useRuleAddition()} isPrimary />
        </Group>
      }
      above={<RuleTester />}
    />
  )
}

function useColumns(): Column<StaffAuditRule>[] {
  const { t } = useTranslation('console/guard')
  return [
    {
      key: 'name',
      title: t('column.rule'),
      place: 'title',
      width: '9rem',
      cell: ({ name }) => name,
    },
    {
      key: 'pattern',
      title: t('column.pattern'),
      place: 'fact',
      cell: ({ pattern }) => <code className={classes.code}>{pattern}</code>,
    },
    {
      key: 'hits',
      title: t('column.hits'),
      place: 'state',
      width: '5rem',
      align: 'end',
      cell: (rule) => <Hits rule={rule} />,
    },
    {
      key: 'last',
      title: t('column.lastHit'),
      place: 'fact',
      width: '11rem',
      cell: ({ last_hit_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
    {
      key: 'exempt',
      title: t('column.exempt'),
      width: '11rem',
      cell: ({ exempt_users: users }) => <Exempt users={users} />,
    },
    {
      key: 'agents',
      title: t('column.notHeldBy'),
      width: '9rem',
      cell: ({ not_held_by: agents }) => agents.join(', ') || '—',
    },
  ]
}

function Hits({ rule }: { rule: StaffAuditRule }) {
  const may = useMay()
  const { i18n } = useTranslation()
  const count = new Intl.NumberFormat(i18n.language).format(rule.hits)
  if (rule.hits === 0 || !may('node.rule.hit.read')) return count
  return (
    <TextLink to="/admin/audit-rules/hits" search={{ rule: rule.id } as never} underline="hover">
      {count}
    </TextLink>
  )
}

const SHOWN = 3

function Exempt({ users }: { users: StaffAuditRule['exempt_users'] }) {
  const { t } = useTranslation('console/guard')
  if (users.length === 0) return '—'
  return (
    <span className={classes.names}>
      {users.slice(0, SHOWN).map((user) => (
        <Person key={user.id} user={user} />
      ))}
      {users.length > SHOWN && t('rules.more', { count: users.length - SHOWN })}
    </span>
  )
}
