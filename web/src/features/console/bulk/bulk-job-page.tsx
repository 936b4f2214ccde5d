import { Card, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { BulkJob, BulkJobRow } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Bytes } from '@/ui/bytes'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { FilterBar } from '../parts/filter-bar'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { requireFound } from '../parts/require-found'
import { useBulkActions } from './actions'
import { bulkJobOf, bulkRowsOf } from './resource'
import { BulkProgress, BulkState } from './states'

const route = getRouteApi('/admin/bulk-jobs/$id')

/** One job: how far it is, and what became of each user. */
export function BulkJobPage() {
  const { t } = useTranslation('console/bulk')
  const { id } = route.useParams()
  const query = useQuery(bulkJobOf(id))
  requireFound(query)
  const rows = useMemo(() => bulkRowsOf(id), [id])
  useFreshRows(id, query.data)
  const states = ['waiting', 'done', 'failed'] as const
  return (
    <div data-wide>
      {query.data ? <Header job={query.data} /> : <PageHeader title={t('title')} />}
      <Loaded query={query} skeleton={<Skeleton height={160} radius="lg" />} hasCards>
        {(job) => <JobFacts job={job} />}
      </Loaded>
      <FilterBar
        filters={[
          {
            key: 'state',
            title: t('column.state'),
            kind: 'choice',
            isSingle: true,
            options: states.map((value) => ({ value, label: t(`row.${value}`) })),
          },
        ]}
      />
      <ResourceTable
        caption={t('rows')}
        resource={rows}
        columns={useColumns()}
        empty={{ text: t('noRows') }}
      />
    </div>
  )
}

/** Reads the rows again when the job has gone on. */
function useFreshRows(id: string, job: BulkJob | undefined) {
  const client = useQueryClient()
  const ended = job && job.done + job.failed
  useEffect(() => {
    if (ended) void client.invalidateQueries({ queryKey: ['console', `bulk-job-${id}`] })
  }, [client, id, ended])
}

function Header({ job }: { job: BulkJob }) {
  const { t } = useTranslation('console/bulk')
  return (
    <DetailHeader
      list={{ title: t('title'), link: { to: '/admin/bulk-jobs' } }}
      title={`#${job.id} ${t(`kind.${job.kind}`)}`}
      state={<BulkState state={job.state} />}
      menu={<ActionMenu subject={job} name={`#${job.id}`} actions={useBulkActions()} />}
    />
  )
}

function JobFacts({ job }: { job: BulkJob }) {
  const { t } = useTranslation('console/bulk')
  const currency = useCurrency()
  return (
    <Card mb="md">
      <Facts>
        <Fact name={t('column.progress')}>
          <BulkProgress job={job} />
        </Fact>
        {job.bytes > 0 && (
          <Fact name={t('field.bytes')}>
            <Bytes bytes={job.bytes} />
          </Fact>
        )}
        {job.days > 0 && <Fact name={t('field.days')}>{job.days}</Fact>}
        {job.label && <Fact name={t('field.label')}>{job.label}</Fact>}
        {job.kind === 'balance' && (
          <Fact name={t('field.amount')}>
            <Money amount={job.amount} currency={currency} />
          </Fact>
        )}
        <Fact name={t('column.worth')}>
          {job.worth === null ? t('unbounded') : <Money amount={job.worth} currency={currency} />}
        </Fact>
        <Fact name={t('column.reason')}>{job.reason}</Fact>
        <Fact name={t('column.maker')}>
          <Person user={job.made_by} />
        </Fact>
      </Facts>
    </Card>
  )
}

function useColumns(): Column<BulkJobRow>[] {
  const { t } = useTranslation('console/bulk')
  const tones = { waiting: 'neutral', done: 'success', failed: 'error' } as const
  return [
    {
      key: 'user',
      title: t('column.user'),
      place: 'title',
      cell: ({ user }) => <Person user={user} />,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '9rem',
      cell: ({ state }) => <StatusDot tone={tones[state]}>{t(`row.${state}`)}</StatusDot>,
    },
    {
      key: 'error',
      title: t('column.error'),
      place: 'fact',
      cell: ({ error }) => error || '—',
    },
    {
      key: 'ended',
      title: t('column.ended'),
      width: '12rem',
      cell: ({ ended_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
  ]
}
