import { Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { BulkJob } from '@/lib/api/gen/staff/types.gen'
import { StatusDot, type Tone } from '@/ui/status-dot'

const tones: Record<BulkJob['state'], Tone> = {
  frozen: 'neutral',
  waiting: 'warning',
  running: 'info',
  stopped: 'warning',
  done: 'success',
  declined: 'error',
}

export function BulkState({ state }: { state: BulkJob['state'] }) {
  const { t } = useTranslation('console/bulk')
  return <StatusDot tone={tones[state]}>{t(`state.${state}`)}</StatusDot>
}

/** "120 of 500, 3 failed", with a bar. */
export function BulkProgress({ job }: { job: BulkJob }) {
  const { t } = useTranslation('console/bulk')
  const { rows, done, failed } = job
  const said = t(failed > 0 ? 'progress.failed' : 'progress.done', { done, rows, failed })
  return (
    <>
      {said}
      <Progress.Root size="sm" mt={4}>
        <Progress.Section value={(100 * done) / rows} aria-label={said} />
        {failed > 0 && (
          <Progress.Section
            value={(100 * failed) / rows}
            color="red"
            aria-label={t('progress.failures', { failed })}
          />
        )}
      </Progress.Root>
    </>
  )
}
