import { Skeleton } from '@mantine/core'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { DataTable } from '@/ui/data-table'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'
import { twoWeeks } from './two-weeks'

const AreaChart = lazyPart(() => import('@/ui/charts/area-chart'), 'AreaChart')

type Day = (typeof twoWeeks)[number]

const downCell = ({ down }: Day) => <Bytes bytes={down} />
const upCell = ({ up }: Day) => <Bytes bytes={up} />

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
        <DataTable
          caption={t('chart')}
          columns={[
            {
              key: 'day',
              header: t('table.day'),
              cell: ({ day }) => formatCalendarDay(day, i18n.language),
              isTitle: true,
            },
            {
              key: 'down',
              header: t('table.down'),
              cell: downCell,
              align: 'end',
            },
            {
              key: 'up',
              header: t('table.up'),
              cell: upCell,
              align: 'end',
            },
          ]}
          rows={twoWeeks}
          rowKey={({ day }) => day}
        />
      </Part>
    </TestPage>
  )
}
