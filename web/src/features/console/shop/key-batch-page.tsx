import { Card, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyBatch, KeyItem, KeyUse } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader, useTab } from '../parts/detail-header'
import { Maker, Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { requireFound } from '../parts/require-found'
import { useVoidBatch, useVoidKey } from './key-actions'
import { BatchState, batchName, Gift } from './key-batch-parts'
import { keyBatchOf, keysOf, redeemedOf } from './resource'

const route = getRouteApi('/admin/cd-keys/$id')

/** One batch: its keys, of which only the beginning is known, and who redeemed them. */
export function KeyBatchPage() {
  const { t } = useTranslation('console/cdkey')
  const { id } = route.useParams()
  const query = useQuery(keyBatchOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header batch={query.data} /> : <PageHeader title={t('one')} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(batch) => <Batch key={id} batch={batch} />}
      </Loaded>
    </div>
  )
}

function useTabs() {
  const { t } = useTranslation('console/cdkey')
  return [
    { key: 'keys', title: t('tab.keys') },
    { key: 'redeemed', title: t('tab.redeemed') },
  ]
}

function Header({ batch }: { batch: KeyBatch }) {
  const { t } = useTranslation('console/cdkey')
  return (
    <DetailHeader
      list={{ title: t('title'), link: { to: '/admin/cd-keys' } }}
      title={batchName(batch)}
      state={<BatchState batch={batch} />}
      menu={<ActionMenu subject={batch} name={batchName(batch)} actions={[useVoidBatch()]} />}
      tabs={useTabs()}
    />
  )
}

function Batch({ batch }: { batch: KeyBatch }) {
  const tab = useTab(useTabs())
  return (
    <>
      <BatchFacts batch={batch} />
      {tab === 'redeemed' ? <Redeemed batch={batch} /> : <Keys batch={batch} />}
    </>
  )
}

function BatchFacts({ batch }: { batch: KeyBatch }) {
  const { t } = useTranslation('console/cdkey')
  const moment = (time: string | null) => (time ? <Moment time={time} withTime /> : '—')
  return (
    <Card component="section" aria-label={t('facts')} mb="lg">
      <Title order={2} size="h3" mb="sm">
        {t('facts')}
      </Title>
      <Facts>
        <Fact name={t('column.gift')}>
          <Gift batch={batch} />
        </Fact>
        <Fact name={t('column.used')}>{`${batch.used} / ${batch.size * batch.max_uses}`}</Fact>
        <Fact name={t('field.per_user')}>{batch.per_user ?? '—'}</Fact>
        <Fact name={t('column.expires')}>{moment(batch.expires_at)}</Fact>
        <Fact name={t('column.maker')}>
          <Maker id={batch.made_by} email={batch.made_by_email} none={t('operator')} />
        </Fact>
        <Fact name={t('column.created')}>{moment(batch.created_at)}</Fact>
        <Fact name={t('confirmed')}>{moment(batch.confirmed_at)}</Fact>
        {batch.voided_at && <Fact name={t('voidedAt')}>{moment(batch.voided_at)}</Fact>}
      </Facts>
    </Card>
  )
}

function Keys({ batch }: { batch: KeyBatch }) {
  const { t } = useTranslation('console/cdkey')
  const resource = useMemo(() => keysOf(batch.id), [batch.id])
  const action = useVoidKey(batch.id)
  return (
    <ResourceTable
      caption={t('tab.keys')}
      resource={resource}
      columns={useKeyColumns()}
      renderActions={(key) => (
        <ActionMenu subject={key} name={key.prefix} actions={[action]} isRow />
      )}
      empty={{ text: t('noKeys') }}
    />
  )
}

function useKeyColumns(): Column<KeyItem>[] {
  const { t } = useTranslation('console/cdkey')
  return [
    {
      key: 'prefix',
      title: t('column.key'),
      place: 'title',
      cell: ({ prefix }) => <code>{prefix}…</code>,
    },
    {
      key: 'used',
      title: t('column.used'),
      place: 'fact',
      width: '9rem',
      align: 'end',
      cell: ({ used, max_uses: uses }) => `${used} / ${uses}`,
    },
    {
      key: 'voided',
      title: t('voidedAt'),
      place: 'fact',
      width: '12rem',
      cell: ({ voided_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
  ]
}

function Redeemed({ batch }: { batch: KeyBatch }) {
  const { t } = useTranslation('console/cdkey')
  const resource = useMemo(() => redeemedOf(batch.id), [batch.id])
  return (
    <ResourceTable
      caption={t('tab.redeemed')}
      resource={resource}
      columns={useUseColumns()}
      empty={{ text: t('noneRedeemed') }}
    />
  )
}

function useUseColumns(): Column<KeyUse>[] {
  const { t } = useTranslation('console/cdkey')
  return [
    {
      key: 'prefix',
      title: t('column.key'),
      place: 'title',
      cell: ({ prefix }) => <code>{prefix}…</code>,
    },
    {
      key: 'user',
      title: t('column.user'),
      place: 'fact',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'when',
      title: t('column.redeemed'),
      place: 'fact',
      width: '12rem',
      cell: ({ redeemed_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
