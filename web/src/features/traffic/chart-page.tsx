import { Card } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/ui/button-link'
import { PageHeader } from '@/ui/page-header'
import { AxisCard } from './components/axis-card'
import { CalendarCard } from './components/calendar-card'
import { DayDialog } from './components/day-dialog'
import classes from './traffic.module.css'
import { useZone } from './use-zone'

const route = getRouteApi('/user/subscribe-log-chart')

/** What the user moved: over time, and day by day of a month. */
export function ChartPage() {
  const { t } = useTranslation('traffic')
  const { day } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useZone()
  const close = () =>
    void navigate({
      search: (search) => ({ ...search, day: undefined }),
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHeader
        title={t('chart.title')}
        about={t('chart.about', { zone })}
        action={
          <ButtonLink variant="default" to="/user/subscribe-log-detail">
            {t('toRows')}
          </ButtonLink>
        }
      />
      <div className={classes.cards}>
        <Card component="section" aria-labelledby="axis-title">
          <AxisCard />
        </Card>
        <Card component="section" aria-labelledby="calendar-title">
          <CalendarCard />
        </Card>
      </div>
      {day && <DayDialog date={day} zone={zone} onClose={close} />}
    </>
  )
}
