import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import { useNow } from '@/lib/now'
import { calendarDay, formatCalendarDay } from '@/lib/time'
import classes from './overview.module.css'

type Bar = { at: string; value: number }

const HEIGHT = 96

/**
 * A bar for each day, with the first and the last day below. What a bar is, its tooltip says. The day that is not over
 * is an outline, so that it does not look like a fall.
 */
export function DayBars(props: {
  title: string
  bars: readonly Bar[]
  format: (value: number) => string
}) {
  const { t, i18n } = useTranslation('console/overview')
  const { bars, format } = props
  // Days are those of the site, wherever its staff is.
  const zone = useQuery(siteOptions()).data?.time_zone ?? 'UTC'
  const dayOf = (at: string) => formatCalendarDay(calendarDay(Date.parse(at), zone), i18n.language)
  const today = calendarDay(useNow(60_000), zone)
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  return (
    <figure className={classes.chart}>
      <figcaption>
        {props.title}
        <Text span c="dimmed" size="sm">
          {format(bars.reduce((sum, { value }) => sum + value, 0))}
        </Text>
      </figcaption>
      <svg
        role="img"
        aria-label={props.title}
        viewBox={`0 0 ${bars.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        height={HEIGHT}
      >
        {bars.map(({ at, value }, index) => {
          const height = (Math.max(0, value) / highest) * (HEIGHT - 2) + 2
          const isOpen = calendarDay(Date.parse(at), zone) === today
          const said = { day: dayOf(at), value: format(value) }
          return (
            <rect
              key={at}
              x={index * 10 + 1}
              y={HEIGHT - height}
              width={8}
              height={height}
              data-open={isOpen || undefined}
            >
              <title>{isOpen ? t('chart.openDay', said) : t('chart.day', said)}</title>
            </rect>
          )
        })}
      </svg>
      <div className={classes.ends}>
        <span>{dayOf(first.at)}</span>
        <span>{dayOf(last.at)}</span>
      </div>
    </figure>
  )
}
