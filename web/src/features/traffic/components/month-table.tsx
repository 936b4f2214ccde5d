import { UnstyledButton, useComputedColorScheme } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { TimeAxisPoint } from '@/lib/api/gen/types.gen'
import { formatBytes } from '@/lib/bytes'
import { calendarDay } from '@/lib/time'
import { chartColors } from '@/ui/charts/chart-colors'
import { dateOf } from '../days'
import { firstWeekdayIn, weeksOf } from '../calendar'
import { longDay, nameOfMonth } from '../names'
import classes from '../traffic.module.css'

const route = getRouteApi('/user/subscribe-log-chart')

const A_SUNDAY = Date.UTC(2026, 10, 1)
const DAY_MS = 86_400_000

/** The days of a month; those with traffic are buttons with a pie of what went down and up, as large as their share of the most. */
export function MonthTable(props: {
  month: string
  points: readonly TimeAxisPoint[]
  today: number
  zone: string
}) {
  const { i18n } = useTranslation('traffic')
  const firstWeekday = firstWeekdayIn(i18n.language)
  const weekday = (style: 'short' | 'long', day: number) =>
    new Intl.DateTimeFormat(i18n.language, { weekday: style, timeZone: 'UTC' }).format(
      A_SUNDAY + day * DAY_MS,
    )
  const weekdays = Array.from({ length: 7 }, (_, index) => (index + firstWeekday) % 7)
  const byDay = new Map(
    props.points.map((point) => [calendarDay(point.timestamp_ms, props.zone), point]),
  )
  const most = Math.max(...props.points.map(({ total_traffic: total }) => total))
  return (
    <table className={classes.month} aria-label={nameOfMonth(props.month, i18n.language)}>
      <thead>
        <tr>
          {weekdays.map((day) => (
            <th key={day} scope="col" abbr={weekday('long', day)}>
              {weekday('short', day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(props.month, firstWeekday).map((week, row) => (
          <tr key={row}>
            {week.map((day, column) => (
              <td key={column}>
                {day !== undefined && (
                  <Day
                    day={day}
                    point={byDay.get(day)}
                    share={(byDay.get(day)?.total_traffic ?? 0) / most}
                    isToday={day === props.today}
                    isOver={day < props.today && props.points.length > 0}
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Day(props: {
  day: number
  point: TimeAxisPoint | undefined
  share: number
  isToday: boolean
  isOver: boolean
}) {
  const { t, i18n } = useTranslation('traffic')
  const navigate = route.useNavigate()
  const { day, point, isToday } = props
  const number = new Date(day).getUTCDate()
  const current = isToday ? ('date' as const) : undefined
  if (!point) {
    return (
      <span className={classes.day} aria-current={current}>
        {number}
        {props.isOver && (
          <span className={`${classes.bytes} ${classes.nothing}`}>
            {formatBytes(0, i18n.language)}
          </span>
        )}
      </span>
    )
  }
  const bytes = formatBytes(point.total_traffic, i18n.language)
  const name = t(isToday ? 'calendar.dayOpen' : 'calendar.day', {
    day: longDay(day, i18n.language),
    bytes,
  })
  return (
    <UnstyledButton
      className={classes.day}
      data-unfinished={isToday || undefined}
      aria-current={current}
      aria-haspopup="dialog"
      aria-label={name}
      onClick={() =>
        void navigate({
          search: (search) => ({ ...search, day: dateOf(day) }),
          replace: true,
          resetScroll: false,
        })
      }
    >
      {/* Drawn by the style sheet: the name of the button says it in full. */}
      <span aria-hidden="true" data-text={number} />
      <Pie up={point.ss_tx_size} down={point.ss_rx_size} share={props.share} />
      <span className={classes.bytes} aria-hidden="true" data-text={bytes} />
    </UnstyledButton>
  )
}

const LEAST_RADIUS = 6
const RADIUS = 15

/** Down and up of a day; its area grows with what was moved. */
function Pie({ up, down, share }: { up: number; down: number; share: number }) {
  const [downColor, upColor] = chartColors(useComputedColorScheme('light')).series
  const radius = Math.max(LEAST_RADIUS, RADIUS * Math.sqrt(share))
  const angle = 2 * Math.PI * (up / Math.max(1, up + down))
  const x = Math.sin(angle) * radius
  const y = -Math.cos(angle) * radius
  return (
    <svg viewBox="-16 -16 32 32" className={classes.pie} aria-hidden="true">
      <circle r={radius} fill={downColor} />
      {up >= down + up ? (
        <circle r={radius} fill={upColor} />
      ) : (
        <path
          d={`M0 0V${-radius}A${radius} ${radius} 0 ${angle > Math.PI ? 1 : 0} 1 ${x} ${y}Z`}
          fill={upColor}
        />
      )}
    </svg>
  )
}
