import { Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
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
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('traffic.day')}</Table.Th>
            <Table.Th ta="right">{t('traffic.down')}</Table.Th>
            <Table.Th ta="right">{t('traffic.up')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ day, down, up }, index) => (
            <Table.Tr key={day}>
              <Table.Td>
                {formatCalendarDay(day, i18n.language)}
                {index === 0 && <span className={classes.soFar}> {t('traffic.soFar')}</span>}
              </Table.Td>
              <Table.Td ta="right">
                <Bytes bytes={down} />
              </Table.Td>
              <Table.Td ta="right">
                <Bytes bytes={up} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
