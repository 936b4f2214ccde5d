import { useTranslation } from 'react-i18next'
import type { StaffAuditRecord } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { TextLink } from '@/ui/text-link'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { hits } from './resource'
import { useExemption } from './rule-actions'

/** What the rules stopped, of whom and where. */
export function HitsPage() {
  const { t } = useTranslation('console/guard')
  return (
    <ListPage
      title={t('hits.title')}
      about={t('hits.about')}
      resource={hits}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('hits.search') }}
      actions={[useExemption()]}
      nameOf={({ email, rule_name: rule }) => `${email} · ${rule}`}
      empty={t('hits.empty')}
      action={
        <ButtonLink variant="default" size="sm" to="/admin/audit-rules">
          {t('rules.title')}
        </ButtonLink>
      }
    />
  )
}

function useColumns(): Column<StaffAuditRecord>[] {
  const { t, i18n } = useTranslation('console/guard')
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      cell: ({ user_id: id, email }) => <Person user={{ id, email }} />,
    },
    {
      key: 'rule',
      title: t('column.rule'),
      place: 'state',
      cell: ({ rule_name: rule }) => rule,
    },
    {
      key: 'node',
      title: t('column.node'),
      place: 'fact',
      cell: ({ node_id: id, node_name: name }) => <NodeLink id={id} name={name} />,
    },
    {
      key: 'count',
      title: t('column.connections'),
      width: '8rem',
      align: 'end',
      cell: ({ count }) => new Intl.NumberFormat(i18n.language).format(count),
    },
    {
      key: 'at',
      title: t('column.at'),
      place: 'fact',
      width: '12rem',
      sort: 'at',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

/** A node, leading to it unless it was removed. */
export function NodeLink({ id, name }: { id: number; name: string | null }) {
  const { t } = useTranslation('console/guard')
  if (name === null) return t('nodeGone', { id })
  return (
    <TextLink to="/admin/nodes/$id" params={{ id: String(id) }} underline="hover">
      {name}
    </TextLink>
  )
}

function useFilters(): Filter[] {
  const { t } = useTranslation('console/guard')
  return [
    { key: 'rule', title: t('filter.rule'), kind: 'reference' },
    { key: 'node', title: t('filter.node'), kind: 'reference' },
    { key: 'user', title: t('filter.user'), kind: 'reference' },
    { key: 'at', title: t('column.at'), kind: 'date' },
  ]
}
