import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import type { Option } from '../parts/option'
import type { Column } from '../parts/resource'
import { useFilterOpened } from '../parts/use-filter-opened'
import { AuditActor } from './audit-actor'
import { AuditObject } from './audit-object'
import { auditActionsQuery, auditChainQuery, auditLog } from './resource'

/** What staff and the operator changed, and whether the log is whole. */
export function AuditLogPage() {
  const { t } = useTranslation('console/trust')
  const { isLoading } = useQuery(auditChainQuery())
  return (
    <ListPage
      title={t('log.title')}
      about={t('log.about')}
      resource={auditLog}
      columns={useColumns()}
      filters={useFilters()}
      search={{ key: 'q', label: t('log.search') }}
      link={({ id }) => ({ to: '/admin/audit-log/$id', params: { id: String(id) } })}
      empty={t('log.empty')}
      action={<Chain />}
      isWaiting={isLoading}
    />
  )
}

function useColumns(): Column<AuditEntry>[] {
  const { t } = useTranslation('console/trust')
  return [
    {
      key: 'action',
      title: t('log.action'),
      place: 'title',
      cell: ({ action, action_text: words }) => <span title={action}>{words}</span>,
    },
    {
      key: 'object',
      title: t('log.object'),
      place: 'state',
      cell: (entry) => <AuditObject entry={entry} />,
    },
    {
      key: 'actor',
      title: t('log.actor'),
      place: 'fact',
      cell: (entry) => <AuditActor entry={entry} />,
    },
    { key: 'reason', title: t('log.reason'), cell: ({ reason }) => reason || '—' },
    {
      key: 'address',
      title: t('log.address'),
      width: '9rem',
      cell: ({ address }) => address || '—',
    },
    {
      key: 'at',
      title: t('log.at'),
      width: '12rem',
      sort: 'at',
      place: 'fact',
      cell: ({ at }) => <Moment time={at} withTime />,
    },
  ]
}

function useFilters(): Filter[] {
  const { t } = useTranslation('console/trust')
  return [
    { key: 'member', title: t('log.member'), kind: 'reference' },
    {
      key: 'actor',
      title: t('log.actor'),
      kind: 'choice',
      options: (['member', 'token', 'operator'] as const).map((value) => ({
        value,
        label: t(value),
      })),
    },
    { key: 'action', title: t('log.action'), kind: 'known', ...useActions() },
    { key: 'object', title: t('log.object'), kind: 'text' },
    { key: 'object_id', title: t('log.objectId'), kind: 'text' },
    { key: 'address', title: t('log.address'), kind: 'text' },
    { key: 'at', title: t('log.at'), kind: 'date' },
  ]
}

/**
 * The actions in the words that the list has for them, found by those of the other language, too. They are loaded once
 * the filter is set or opened.
 */
function useActions(): { options: Option[] | undefined; onOpen: () => void } {
  const { i18n } = useTranslation()
  const { isOpened, onOpen } = useFilterOpened('action')
  const { data } = useQuery({ ...auditActionsQuery(), enabled: isOpened })
  const isChinese = i18n.language.startsWith('zh')
  return {
    options: data?.map(({ action, zh, en }) => ({
      value: action,
      label: isChinese ? zh : en,
      also: isChinese ? en : zh,
    })),
    onOpen,
  }
}

/** How far the log is sealed, and what its last check found. */
function Chain() {
  const { t } = useTranslation('console/trust')
  const { data: chain } = useQuery(auditChainQuery())
  if (!chain) return null
  const isWhole = chain.is_intact && chain.broken_places === 0
  return (
    <section aria-label={t('chain.title')}>
      <Facts flows>
        <Fact name={t('chain.title')}>
          <StatusDot tone={isWhole ? 'success' : 'error'}>
            {t(isWhole ? 'chain.whole' : 'chain.broken')}
          </StatusDot>
        </Fact>
        <Fact name={t('chain.sealed')}>
          {chain.sealed_at ? (
            <>
              {t('chain.upTo', { id: chain.entry_id })} · <Moment time={chain.sealed_at} withTime />
            </>
          ) : (
            '—'
          )}
        </Fact>
        <Fact name={t('chain.waiting')}>{chain.waiting}</Fact>
        <Fact name={t('chain.checked')}>
          {chain.checked_at ? <Moment time={chain.checked_at} withTime /> : t('chain.never')}
        </Fact>
      </Facts>
    </section>
  )
}
