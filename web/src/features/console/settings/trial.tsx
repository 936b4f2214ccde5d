import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { staffSettingTest } from '@/lib/api/gen/staff/sdk.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { StatusDot } from '@/ui/status-dot'
import { useMay } from '../parts/permissions'
import classes from './settings.module.css'

/** What of an area can be tried, in the names of the operation. */
export const trialsOf = {
  mail: ['mail'],
  captcha: ['captcha'],
  telegram: ['telegram'],
  tickets: ['mailbox'],
  attachments: ['attachments'],
  services: ['loki', 'clickhouse'],
} as const

export type Trial = (typeof trialsOf)[keyof typeof trialsOf][number]

/** Tries what was saved, and says at which step it failed. */
export function TrialButton({ kind }: { kind: Trial }) {
  const { t } = useTranslation('console/system')
  const { t: common } = useTranslation()
  const may = useMay()
  const trial = useMutation({
    mutationFn: async () => (await staffSettingTest({ path: { kind }, throwOnError: true })).data,
  })
  if (!may('setting.test')) return null
  return (
    <div className={classes.trial}>
      <Button variant="default" size="sm" loading={trial.isPending} onClick={() => trial.mutate()}>
        {t(`trial.${kind}`)}
      </Button>
      <FormError message={trial.error ? problemText(trial.error, common) : undefined} />
      <div role="status">
        {trial.data && (
          <ol className={classes.history}>
            {trial.data.steps.map((step) => (
              <li key={step.title}>
                <StatusDot tone={step.is_ok ? 'success' : 'error'}>{step.title}</StatusDot>
                {step.error && <span>{step.error}</span>}
              </li>
            ))}
          </ol>
        )}
      </div>
    </div>
  )
}
