import { Card, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { Bytes } from '@/ui/bytes'
import { CopyButton } from '@/ui/copy-button'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader, useTab } from '../parts/detail-header'
import { Section } from '../parts/section'
import { requireFound } from '../parts/require-found'
import { useOwnName } from '../parts/use-own-name'
import { useNodeActions } from './actions'
import { NodeState, Quota } from './columns'
import { protocolOf, protocols } from './protocols'
import { installKey, LIVE_MS, nodeOf } from './resource'

const NodeAgent = lazyPart(() => import('./node-agent'), 'NodeAgent')
const NodeBatches = lazyPart(() => import('./node-batches'), 'NodeBatches')
const NodeHistory = lazyPart(() => import('./node-history'), 'NodeHistory')
const NodeLinks = lazyPart(() => import('./node-links'), 'NodeLinks')

const route = getRouteApi('/admin/nodes/$id/')

/** One node: how it is and was, what its agent and the links get. */
export function NodePage() {
  const { t } = useTranslation('console/node')
  const { id } = route.useParams()
  const query = useQuery({ ...nodeOf(id), refetchInterval: LIVE_MS })
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header node={query.data} /> : <PageHeader title={t('nodes.one')} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(node) => <Node node={node} />}
      </Loaded>
    </div>
  )
}

function useTabs() {
  const { t } = useTranslation('console/node')
  return (['facts', 'history', 'links', 'agent', 'batches'] as const).map((key) => ({
    key,
    title: t(`tab.${key}`),
  }))
}

function Header({ node }: { node: StaffNode }) {
  const { t } = useTranslation('console/node')
  const name = useOwnName()(node)
  return (
    <DetailHeader
      list={{ title: t('nodes.title'), link: { to: '/admin/nodes' } }}
      title={name}
      state={<NodeState node={node} />}
      about={`#${node.id} · ${protocols[protocolOf(node)]}`}
      menu={<ActionMenu subject={node} name={name} actions={useNodeActions()} />}
      tabs={useTabs()}
    />
  )
}

function Node({ node }: { node: StaffNode }) {
  const tab = useTab(useTabs())
  const id = String(node.id)
  return (
    <Stack gap="lg">
      <Install id={node.id} />
      {tab === 'facts' && <NodeFacts node={node} />}
      <Suspense fallback={<Skeleton height={480} radius="lg" />}>
        {tab === 'history' && <NodeHistory id={id} />}
        {tab === 'links' && <NodeLinks id={id} />}
        {tab === 'agent' && <NodeAgent node={node} />}
        {tab === 'batches' && <NodeBatches id={id} rate={node.rate} />}
      </Suspense>
    </Stack>
  )
}

/** The line that was just made, until the page is loaded anew. */
function Install({ id }: { id: number }) {
  const { t } = useTranslation('console/node')
  const { data: line } = useQuery<string>({ queryKey: installKey(id), enabled: false })
  if (!line) return null
  return (
    <Card component="section" aria-label={t('install.title')}>
      <Stack gap="sm">
        <Text fw={600}>{t('install.title')}</Text>
        <Text size="sm">{t('install.about')}</Text>
        <Code block>{line}</Code>
        <Group>
          <CopyButton text={line} name={t('install.title')} />
        </Group>
      </Stack>
    </Card>
  )
}

function NodeFacts({ node }: { node: StaffNode }) {
  const { t } = useTranslation('console/node')
  return (
    <>
      <Section title={t('section.now')}>
        <Facts>
          <Fact name={t('column.users')}>{node.online_users}</Fact>
          <Fact name={t('fact.connections')}>{node.connections}</Fact>
          <Fact name={t('fact.cpu')}>{Math.round(node.cpu)}%</Fact>
          <Fact name={t('fact.memory')}>{Math.round(node.memory)}%</Fact>
          <Fact name={t('fact.load')}>
            {node.load.map((part) => part.toFixed(2)).join(' ') || '—'}
          </Fact>
          <Fact name={t('fact.up')}>
            <Bytes bytes={node.up_bps} />
            /s
          </Fact>
          <Fact name={t('fact.down')}>
            <Bytes bytes={node.down_bps} />
            /s
          </Fact>
          <Fact name={t('fact.seen')}>
            {node.seen_at ? <Moment time={node.seen_at} withTime /> : t('never')}
          </Fact>
          {node.silenced_until && (
            <Fact name={t('fact.silenced')}>
              <Moment time={node.silenced_until} withTime />
            </Fact>
          )}
        </Facts>
      </Section>
      <Settings node={node} />
    </>
  )
}

function Settings({ node }: { node: StaffNode }) {
  const { t } = useTranslation('console/node')
  const { settings } = node
  return (
    <Section title={t('section.facts')}>
      <Facts>
        <Fact name={t('field.address')}>{`${node.address}:${node.port}`}</Fact>
        <Fact name={t('field.transport')}>
          {[settings.transport, settings.security].filter(Boolean).join(' · ') || '—'}
        </Fact>
        {settings.reality && (
          <Fact name={t('fact.publicKey')}>
            <Code>{settings.reality.public_key}</Code>
          </Fact>
        )}
        {settings.tls?.pin && (
          <Fact name={t('fact.pin')}>
            <Code>{`${settings.tls.pin.slice(0, 16)}…`}</Code>
          </Fact>
        )}
        <Fact name={t('column.rate')}>×{Number(node.rate_now)}</Fact>
        <Fact name={t('column.quota')}>
          <Quota node={node} />
        </Fact>
        <Fact name={t('fact.resets')}>
          <Moment time={node.resets_at} />
        </Fact>
        <Fact name={t('field.class')}>{node.class || t('any')}</Fact>
        <Fact name={t('column.group')}>{node.group_id || t('any')}</Fact>
        <Fact name={t('column.agent')}>{node.agent || '—'}</Fact>
        <Fact name={t('field.visible')}>{t(node.visible ? 'is.true' : 'is.false')}</Fact>
        <Fact name={t('field.tags')}>{node.tags.join(', ') || '—'}</Fact>
        <Fact name={t('field.relays')}>
          {node.relays.map((r) => `${r.name} (${r.host}:${r.port})`).join(', ') || '—'}
        </Fact>
        <Fact name={t('field.remark')}>{node.remark || '—'}</Fact>
      </Facts>
    </Section>
  )
}
