import { Button, Text } from '@mantine/core'
import { Check, Gift } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '@/lib/bytes'
import { lazyPart } from '@/lib/lazy-part'
import type { CheckedIn, CheckInResult } from '@/lib/api/gen/types.gen'
import { formatDate, lastMoment } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { FormError } from '@/ui/form-error'
import { streakOf } from '../streak'
import { useCheckIn } from '../use-check-in'
import classes from './check-in-card.module.css'

const Captcha = lazyPart(() => import('@/ui/captcha/captcha'), 'Captcha')

/** What today's check-in gives or gave. A chunk of its own, since the home page waits for its first screen only. */
export function Today({ status }: { status: CheckInResult }) {
  const { t } = useTranslation('home')
  const { submit, given, isBusy, problem, captcha } = useCheckIn()
  const isNew = given?.date === status.today
  if (status.state === 'not_eligible') return <Text c="dimmed">{t('checkIn.notEligible')}</Text>
  return (
    <div className={classes.body}>
      <Streak status={status} />
      <div role="status" className={classes.outcome}>
        {isNew && <Given given={given} />}
        {!isNew && status.state === 'done' && <GivenBefore status={status} />}
      </div>
      {!isNew && status.state === 'open' && (
        <>
          {captcha && (
            <Suspense>
              <Captcha kind="checkin" {...captcha} />
            </Suspense>
          )}
          <FormError message={problem} />
          <Button variant="default" loading={isBusy} fullWidth onClick={submit}>
            {t('checkIn.submit')}
          </Button>
        </>
      )}
    </div>
  )
}

/** The days in a row, up to the one that gives the most. */
function Streak({ status }: { status: CheckInResult }) {
  const { t } = useTranslation('home')
  const { filled } = streakOf(status)
  const days = Array.from({ length: status.bonus_streak }, (_, index) => index + 1)
  return (
    <div>
      <ol className={classes.streak} aria-hidden="true">
        {days.map((day) => (
          <li key={day} data-is-filled={day <= filled}>
            {day <= filled && <Check size={14} strokeWidth={2.5} />}
            {day > filled && (day === status.bonus_streak ? <Gift size={14} /> : day)}
          </li>
        ))}
      </ol>
      <p className={classes.about}>
        {status.streak > 0 && <>{t('checkIn.streak', { count: status.streak })} · </>}
        <Promised status={status} />
      </p>
    </div>
  )
}

/** What today's or the next check-ins give. */
function Promised({ status }: { status: CheckInResult }) {
  const { t, i18n } = useTranslation('home')
  const { left } = streakOf(status)
  const max = formatBytes(status.max_bytes, i18n.language)
  if (status.streak === 0) {
    const min = formatBytes(status.min_bytes, i18n.language)
    return t('checkIn.about', { min, max })
  }
  if (left === 1 && status.state === 'open') return t('checkIn.bonusToday', { max })
  return t('checkIn.untilBonus', { count: left, max })
}

function Given({ given }: { given: CheckedIn }) {
  const { t, i18n } = useTranslation('home')
  return (
    <div className={classes.given}>
      <p className={classes.gain}>
        <span aria-hidden="true">+</span>
        <Bytes bytes={given.bytes} size="figure" />
      </p>
      <p className={classes.about}>
        {given.is_bonus && <>{t('checkIn.bonus', { count: given.streak })} · </>}
        {t('checkIn.expires', { date: formatDate(lastMoment(given.expires_at), i18n.language) })}
      </p>
    </div>
  )
}

function GivenBefore({ status }: { status: CheckInResult }) {
  const { t, i18n } = useTranslation('home')
  const today = status.days.find(({ date }) => date === status.today)
  return (
    <p className={classes.done}>
      <Check size={18} strokeWidth={1.75} aria-hidden="true" />
      {today
        ? t('checkIn.done', { bytes: formatBytes(today.bytes, i18n.language) })
        : t('checkIn.doneToday')}
    </p>
  )
}
