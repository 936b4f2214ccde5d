import { Text } from '@mantine/core'
import { Play, RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffJobRetry, staffJobRun } from '@/lib/api/gen/staff/sdk.gen'
import type { QueuedJob, TimedJob } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import classes from './jobs-page.module.css'
import { queue, timetable } from './resources'

/** What runs by the clock. */
export function JobsPage() {
  const { t } = useTranslation('console/system')
  return (
    <ListPage
      title={t('jobs.title')}
      about={t('jobs.about')}
      resource={timetable}
      columns={useTimedColumns()}
      actions={[useRun()]}
      nameOf={({ name }) => name}
      empty={t('jobs.empty')}
      action={
        <ButtonLink variant="default" size="sm" to="/admin/jobs/queue">
          {t('queue.title')}
        </ButtonLink>
      }
    />
  )
}

/** What a job does, and what it is called in logs. */
const Named = ({ job: { name, purpose } }: { job: TimedJob }) => (
  <div className={classes.job}>
    {purpose}
    <Text span display="block" size="xs" c="dimmed">
      {name}
    </Text>
  </div>
)

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

function useTimedColumns(): Column<TimedJob>[] {
  const { t } = useTranslation('console/system')
  const every = (seconds: number) => {
    if (seconds >= DAY) return t('jobs.days', { count: seconds / DAY })
    if (seconds >= HOUR) return t('jobs.hours', { count: seconds / HOUR })
    if (seconds >= MINUTE) return t('jobs.minutes', { count: seconds / MINUTE })
    return t('jobs.seconds', { count: seconds })
  }
  return [
    {
      key: 'name',
      title: t('jobs.name'),
      place: 'title',
      cell: (one) => <Named job={one} />,
    },
    {
      key: 'state',
      title: t('state'),
      place: 'state',
      width: '7rem',
      cell: (one) => <TimedState job={one} />,
    },
    {
      key: 'period',
      title: t('jobs.period'),
      width: '6.5rem',
      cell: ({ period_seconds: seconds }) => every(seconds),
    },
    {
      key: 'last',
      title: t('jobs.last'),
      place: 'fact',
      width: '11.5rem',
      cell: ({ last_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
    {
      key: 'next',
      title: t('jobs.next'),
      place: 'fact',
      width: '11.5rem',
      cell: ({ next_at: time }) => (time ? <Moment time={time} withTime /> : t('jobs.due')),
    },
    {
      key: 'error',
      title: t('jobs.error'),
      width: '6rem',
      cell: ({ failed_at: time, error }) =>
        time ? (
          <>
            <Moment time={time} withTime /> · {error}
          </>
        ) : (
          '—'
        ),
    },
  ]
}

function TimedState({ job }: { job: TimedJob }) {
  const { t } = useTranslation('console/system')
  if (job.failed_at && !job.recovered_at)
    return <StatusDot tone="error">{t('jobs.failing', { count: job.failures })}</StatusDot>
  return <StatusDot tone="success">{t('jobs.well')}</StatusDot>
}

function useRun(): Action<TimedJob> {
  const { t } = useTranslation('console/system')
  return {
    key: 'run',
    icon: Play,
    title: t('jobs.run'),
    permission: 'job.manage',
    danger: 'C',
    effect: ({ name }) => t('jobs.runEffect', { name }),
    run: ({ name }) => staffJobRun({ path: { name }, throwOnError: true }),
    done: ({ name }) => t('jobs.runDone', { name }),
  }
}

const states = ['failed', 'waiting', 'running', 'done'] as const
const tones = { failed: 'error', waiting: 'neutral', running: 'info', done: 'success' } as const

/** Work that waits for its turn, and what failed for good. */
export function QueuePage() {
  const { t } = useTranslation('console/system')
  return (
    <ListPage
      title={t('queue.title')}
      about={t('queue.about')}
      resource={queue}
      columns={useQueueColumns()}
      filters={[
        {
          key: 'state',
          title: t('state'),
          kind: 'choice',
          isSingle: true,
          options: states.map((value) => ({ value, label: t(`queue.${value}`) })),
        },
        { key: 'kind', title: t('queue.kind'), kind: 'text' },
      ]}
      actions={[useRetry()]}
      nameOf={({ id }) => `#${id}`}
      empty={t('queue.empty')}
      action={
        <ButtonLink variant="default" size="sm" to="/admin/jobs">
          {t('jobs.title')}
        </ButtonLink>
      }
    />
  )
}

function useQueueColumns(): Column<QueuedJob>[] {
  const { t } = useTranslation('console/system')
  return [
    {
      key: 'kind',
      title: t('queue.kind'),
      place: 'title',
      width: '14rem',
      cell: ({ kind, id }) => `${kind} #${id}`,
    },
    {
      key: 'state',
      title: t('state'),
      place: 'state',
      width: '8rem',
      cell: ({ state }) => <StatusDot tone={tones[state]}>{t(`queue.${state}`)}</StatusDot>,
    },
    {
      key: 'run',
      title: t('queue.runAt'),
      place: 'fact',
      width: '12rem',
      cell: ({ run_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'attempts',
      title: t('tries'),
      width: '6rem',
      align: 'end',
      cell: ({ attempts }) => attempts,
    },
    {
      key: 'error',
      title: t('jobs.error'),
      place: 'fact',
      cell: ({ last_error: error }) => error || '—',
    },
  ]
}

function useRetry(): Action<QueuedJob> {
  const { t } = useTranslation('console/system')
  return {
    key: 'retry',
    icon: RotateCw,
    title: t('retry'),
    permission: 'job.manage',
    danger: 'C',
    isShown: ({ state }) => state === 'failed',
    effect: ({ kind, id }) => t('queue.retryEffect', { name: `${kind} #${id}` }),
    run: ({ id }) => staffJobRetry({ path: { job_id: id }, throwOnError: true }),
    done: () => t('queue.retryDone'),
  }
}
