import { Card, Skeleton, Title, UnstyledButton } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { Loaded } from '@/ui/loaded'
import { useCheckInStatus } from '../check-in-status'
import classes from './check-in-card.module.css'
import side from './side-card.module.css'

const Today = lazyPart(() => import('./check-in-today'), 'Today')
const CheckInCalendar = lazyPart(() => import('./check-in-calendar'), 'CheckInCalendar')

/** The daily check-in; nothing where the site has none, or while the account is suspended. */
export function CheckInCard() {
  const { t } = useTranslation('home')
  const status = useCheckInStatus()
  const [isOpen, setOpen] = useState(false)
  if (status.data && ['off', 'banned'].includes(status.data.state)) return null
  return (
    <Card component="section" aria-labelledby="check-in-title" className={side.card}>
      <header className={side.head}>
        <Title order={2} size="h3" id="check-in-title">
          {t('checkIn.title')}
        </Title>
        {status.data && (
          <UnstyledButton className={classes.link} onClick={() => setOpen(true)}>
            {t('checkIn.calendar')}
          </UnstyledButton>
        )}
      </header>
      <Loaded query={status} skeleton={<TodaySkeleton />}>
        {(result) => (
          <Suspense fallback={<TodaySkeleton />}>
            <Today status={result} />
          </Suspense>
        )}
      </Loaded>
      {isOpen && status.data && (
        <Suspense>
          <CheckInCalendar today={status.data.today} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  )
}

const TodaySkeleton = () => <Skeleton height={128} />
