import { useTranslation } from 'react-i18next'
import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import { Bytes } from '@/ui/bytes'
import { StatusDot, type Tone } from '@/ui/status-dot'
import type { Filter } from '../parts/filters'
import type { Column } from '../parts/resource'
import { useOwnName } from '../parts/use-own-name'
import { protocolOf, protocols } from './protocols'

const tones: Record<StaffNode['status'], Tone> = {
  online: 'success',
  late: 'warning',
  offline: 'error',
}

/** How a node is: whether its agent was heard of, unless nobody may use it. */
export function NodeState({ node }: { node: StaffNode }) {
  const { t } = useTranslation('console/node')
  const { t: common } = useTranslation()
  if (!node.enabled) return <StatusDot tone="neutral">{t('state.disabled')}</StatusDot>
  if (node.spent) return <StatusDot tone="warning">{t('state.spent')}</StatusDot>
  const word = common(`nodeState.${node.status}`)
  return (
    <StatusDot tone={tones[node.status]}>
      {node.silenced_until ? t('state.silenced', { state: word }) : word}
    </StatusDot>
  )
}

/** What is used of the month, of how much. */
export function Quota({ node }: { node: StaffNode }) {
  const { quota_bytes: quota, used_bytes: used } = node
  return (
    <>
      <Bytes bytes={used} />
      {quota !== null && (
        <>
          {' / '}
          <Bytes bytes={quota} />
        </>
      )}
    </>
  )
}

export function useNodeColumns(): Column<StaffNode>[] {
  return [...useIdentity(), ...useFigures()]
}

/** What it is, and how. */
function useIdentity(): Column<StaffNode>[] {
  const { t } = useTranslation('console/node')
  const ownName = useOwnName()
  return [
    {
      key: 'name',
      title: t('column.name'),
      place: 'title',
      sort: 'name',
      cell: (node) =>
        node.country === 'ZZ' ? ownName(node) : `${ownName(node)} · ${node.country}`,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '8rem',
      cell: (node) => <NodeState node={node} />,
    },
    {
      key: 'protocol',
      title: t('column.protocol'),
      width: '7.5rem',
      cell: (node) => protocols[protocolOf(node)],
    },
  ]
}

/** What it carries, and for whom. */
function useFigures(): Column<StaffNode>[] {
  const { t } = useTranslation('console/node')
  return [
    {
      key: 'load',
      title: t('column.load'),
      width: '4.5rem',
      sort: 'cpu',
      align: 'end',
      cell: ({ cpu, seen_at: seen }) => (seen === null ? '—' : `${Math.round(cpu)}%`),
    },
    {
      key: 'users',
      title: t('column.users'),
      place: 'fact',
      width: '5rem',
      sort: 'users',
      align: 'end',
      cell: ({ online_users: users }) => users,
    },
    {
      key: 'used',
      title: t('column.quota'),
      place: 'fact',
      width: '8.5rem',
      sort: 'used',
      align: 'end',
      cell: (node) => <Quota node={node} />,
    },
    {
      key: 'rate',
      title: t('column.rate'),
      width: '4.5rem',
      sort: 'rate',
      align: 'end',
      cell: ({ rate_now: rate }) => `×${Number(rate)}`,
    },
    {
      key: 'group',
      title: t('column.group'),
      width: '5rem',
      cell: ({ group_id: group }) => group || t('any'),
    },
    { key: 'agent', title: t('column.agent'), width: '5.5rem', cell: ({ agent }) => agent || '—' },
  ]
}

export function useNodeFilters(): Filter[] {
  const { t } = useTranslation('console/node')
  const { t: common } = useTranslation()
  const states = ['online', 'late', 'offline'] as const
  return [
    {
      key: 'status',
      title: t('column.state'),
      kind: 'choice',
      isSingle: true,
      options: states.map((value) => ({ value, label: common(`nodeState.${value}`) })),
    },
    {
      key: 'enabled',
      title: t('field.enabled'),
      kind: 'choice',
      isSingle: true,
      options: (['true', 'false'] as const).map((value) => ({ value, label: t(`is.${value}`) })),
    },
    {
      key: 'protocol',
      title: t('column.protocol'),
      kind: 'choice',
      isSingle: true,
      options: Object.entries(protocols).map(([value, label]) => ({ value, label })),
    },
    { key: 'group_id', title: t('column.group'), kind: 'reference' },
    { key: 'country', title: t('field.country'), kind: 'text' },
  ]
}
