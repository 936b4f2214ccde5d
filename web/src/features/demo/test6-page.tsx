import { Skeleton, Table } from '@mantine/core'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'
import { twoWeeks } from './two-weeks'

const AreaChart = lazyPart(() => import('@/ui/charts/area-chart'), 'AreaChart')

/** A chart, and its figures next to it. */
export function Test6Page() {
  const { t, i18n } = useTranslation('demo')
  const days = useMemo(() => twoWeeks.map(({ day }) => day), [])
  const series = useMemo(
    () => [
      { name: t('table.down'), values: twoWeeks.map(({ down }) => down) },
      { name: t('table.up'), values: twoWeeks.map(({ up }) => up) },
    ],
    [t],
  )
  return (
    <TestPage name="test6">
      <Part title={t('chart')}>
        <div className={classes.picture}>
          <Suspense fallback={<Skeleton height="100%" />}>
            <AreaChart label={t('chart')} days={days} series={series} />
          </Suspense>
        </div>
        <Table aria-label={t('chart')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('table.day')}</Table.Th>
              <Table.Th ta="right">{t('table.down')}</Table.Th>
              <Table.Th ta="right">{t('table.up')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {twoWeeks.map(({ day, down, up }) => (
              <Table.Tr key={day}>
                <Table.Td>{formatCalendarDay(day, i18n.language)}</Table.Td>
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
      </Part>
    </TestPage>
  )
}
