import { Pause, Play, RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffBulkJobResume,
  staffBulkJobRetry,
  staffBulkJobStop,
} from '@/lib/api/gen/staff/sdk.gen'
import type { BulkJob } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'

type Call = (options: { path: { job_id: number }; throwOnError: true }) => Promise<unknown>

/** Stopping a job, going on with it, and trying again what failed. */
export function useBulkActions(): Action<BulkJob>[] {
  const { t } = useTranslation('console/bulk')
  const of = (
    key: 'stop' | 'resume' | 'retry',
    icon: NonNullable<Action<BulkJob>['icon']>,
    call: Call,
    isShown: (job: BulkJob) => boolean,
  ): Action<BulkJob> => ({
    key,
    icon,
    title: t(`act.${key}`),
    permission: 'user.bulk',
    danger: 'C',
    isShown,
    effect: ({ id, rows, done, failed }) => t(`effect.${key}`, { id, left: rows - done, failed }),
    run: ({ id }) => call({ path: { job_id: id }, throwOnError: true }),
    done: ({ id }) => t(`done.${key}`, { id }),
  })
  return [
    of('stop', Pause, staffBulkJobStop, ({ state }) => state === 'running'),
    of('resume', Play, staffBulkJobResume, ({ state }) => state === 'stopped'),
    of(
      'retry',
      RotateCcw,
      staffBulkJobRetry,
      ({ state, failed }) => failed > 0 && (state === 'done' || state === 'stopped'),
    ),
  ]
}
