import { Switch } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { StatusDot } from '@/ui/status-dot'
import { TestPage } from './components/test-page'
import { type DemoDay, MUCH, twoWeeks } from './two-weeks'

/** A table with a filter. */
export function Test5Page() {
  const { t, i18n } = useTranslation('demo')
  const [isFiltered, setFiltered] = useState(false)
  const rows = twoWeeks.filter(({ down }) => !isFiltered || down > MUCH)
  return (
    <TestPage name="test5">
      <Switch
        label={t('table.filter')}
        checked={isFiltered}
        onChange={(event) => setFiltered(event.currentTarget.checked)}
      />
      {rows.length === 0 ? (
        <Empty icon={CircleCheck} text={t('table.none')} />
      ) : (
        <DataTable
          caption={t('title.test5')}
          columns={columnsIn(t, i18n.language)}
          rows={rows}
          rowKey={({ day }) => day}
        />
      )}
    </TestPage>
  )
}

const columnsIn = (t: TFunction<'demo'>, language: string): Column<DemoDay>[] => [
  {
    key: 'day',
    header: t('table.day'),
    isTitle: true,
    cell: ({ day }) => formatCalendarDay(day, language),
  },
  {
    key: 'down',
    header: t('table.down'),
    align: 'end',
    cell: ({ down }) => <Bytes bytes={down} />,
  },
  { key: 'up', header: t('table.up'), align: 'end', cell: ({ up }) => <Bytes bytes={up} /> },
  {
    key: 'state',
    header: t('table.state'),
    cell: ({ down }) => {
      const tone = down > MUCH ? 'warning' : 'success'
      return <StatusDot tone={tone}>{t(`tone.${tone}`)}</StatusDot>
    },
  },
]
