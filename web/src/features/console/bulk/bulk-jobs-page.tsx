import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { BulkJob } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useBulkActions } from './actions'
import { bulkJobs, PACE } from './resource'
import { BulkProgress, BulkState } from './states'

/** What is done to many users at once, and how far it is. */
export function BulkJobsPage() {
  const { t } = useTranslation('console/bulk')
  const client = useQueryClient()
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden)
        void client.invalidateQueries({ queryKey: ['console', 'bulk-jobs', 'list'] })
    }, PACE)
    return () => clearInterval(timer)
  }, [client])
  return (
    <ListPage
      title={t('title')}
      about={t('about')}
      resource={bulkJobs}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/bulk-jobs/$id', params: { id: String(id) } })}
      actions={useBulkActions()}
      nameOf={({ id }) => `#${id}`}
      empty={t('empty')}
    />
  )
}

function useColumns(): Column<BulkJob>[] {
  const { t } = useTranslation('console/bulk')
  return [
    {
      key: 'what',
      title: t('column.what'),
      place: 'title',
      cell: ({ id, kind }) => `#${id} ${t(`kind.${kind}`)}`,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '9rem',
      cell: ({ state }) => <BulkState state={state} />,
    },
    {
      key: 'progress',
      title: t('column.progress'),
      place: 'fact',
      width: '14rem',
      cell: (job) => <BulkProgress job={job} />,
    },
    { key: 'reason', title: t('column.reason'), cell: ({ reason }) => reason },
    {
      key: 'maker',
      title: t('column.maker'),
      width: '12rem',
      cell: ({ made_by: maker }) => <Person user={maker} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      place: 'fact',
      width: '11rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
