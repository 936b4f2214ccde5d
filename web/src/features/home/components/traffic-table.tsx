import { useTranslation } from 'react-i18next'
import { formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { LinedTable } from '@/ui/lined-table'
import type { DayTraffic } from '../traffic-series'
import classes from './traffic-card.module.css'

/** The newest day first; that one is not over. */
export function TrafficTable({ days }: { days: DayTraffic[] }) {
  const { t, i18n } = useTranslation('home')
  return (
    <div
      className={classes.picture}
      data-scrolls
      // Scrolled with the keyboard too.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-labelledby="traffic-title"
    >
      <LinedTable className={classes.table}>
        <thead>
          <tr>
            <th>{t('traffic.day')}</th>
            <th data-align="end">{t('traffic.down')}</th>
            <th data-align="end">{t('traffic.up')}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, down, up }, index) => (
            <tr key={day}>
              <td>
                {formatCalendarDay(day, i18n.language)}
                {index === 0 && <span className={classes.soFar}> {t('traffic.soFar')}</span>}
              </td>
              <td data-align="end">
                <Bytes bytes={down} />
              </td>
              <td data-align="end">
                <Bytes bytes={up} />
              </td>
            </tr>
          ))}
        </tbody>
      </LinedTable>
    </div>
  )
}
