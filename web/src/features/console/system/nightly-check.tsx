import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Stethoscope } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffJobRun } from '@/lib/api/gen/staff/sdk.gen'
import type { SystemFacts } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { systemQuery } from './resources'

const JOB = 'doctor'
const POLL_MS = 3_000
/** After this the result is no longer waited for: another server of the site may have made the check. */
const MAX_WAIT_MS = 120_000

type Facts = Pick<SystemFacts, 'doctor_at' | 'doctor_broken_places'>

/** What the last check of the database found, and a button that makes one now and waits for its result. */
export function NightlyCheck({ facts }: { facts: Facts }) {
  const { t } = useTranslation('console/system')
  const [asked, setAsked] = useState<{ before: string | null }>()
  const isWaiting = asked !== undefined && facts.doctor_at === asked.before
  useQuery({ ...systemQuery(), refetchInterval: isWaiting ? POLL_MS : false })
  useEffect(() => {
    if (!asked) return undefined
    const timer = setTimeout(() => setAsked(undefined), MAX_WAIT_MS)
    return () => clearTimeout(timer)
  }, [asked])

  const run: Action<Facts> = {
    key: 'check',
    icon: Stethoscope,
    title: t('system.check'),
    permission: 'job.manage',
    danger: 'C',
    effect: () => t('system.checkEffect'),
    run: async () => {
      await staffJobRun({ path: { name: JOB }, throwOnError: true })
      setAsked({ before: facts.doctor_at })
    },
    done: () => t('system.checkDone'),
  }
  return (
    <Group gap="sm">
      <span role="status">{isWaiting ? t('system.checking') : <Result facts={facts} />}</span>
      <ActionButton subject={facts} action={run} />
    </Group>
  )
}

function Result({ facts }: { facts: Facts }) {
  const { t } = useTranslation('console/system')
  if (!facts.doctor_at) return t('system.noDoctor')
  const isGood = facts.doctor_broken_places === 0
  return (
    <>
      <StatusDot tone={isGood ? 'success' : 'error'}>
        {t(isGood ? 'system.good' : 'system.bad')}
      </StatusDot>{' '}
      · {t('system.broken', { count: facts.doctor_broken_places })} ·{' '}
      <Moment time={facts.doctor_at} withTime />
    </>
  )
}
