import { Group, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '@/lib/bytes'
import { siteOptions } from '@/lib/api/site'
import { calendarDay, formatCalendarDay } from '@/lib/time'
import { Bytes } from '@/ui/bytes'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { DayBars, Figures, PeriodControl } from '../overview/lazy-figures'
import { overviewOf, periodOf } from '../overview/resource'
import { CsvButton, ParquetButton } from '../parts/file-buttons'
import { useListSearch } from '../parts/list-search'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { Item, Items, Section } from '../parts/section'
import { useAreaName } from '../parts/use-area-name'
import {
  BY,
  type By,
  byOf,
  growthQuery,
  NEAR_LIMIT,
  nearLimitQuery,
  type Sum,
  sums,
} from './resource'

/** What the site moved: by day, who moved most, who is near the limit, and how it grows. */
export function TrafficPage() {
  const { t, i18n } = useTranslation('console/traffic')
  const { search } = useListSearch()
  const period = periodOf(search)
  const query = useQuery({ ...overviewOf(period, 'traffic'), placeholderData: keepPreviousData })
  return (
    <div data-wide>
      <PageHeader title={t('title')} about={t('about')} />
      <Stack gap="lg">
        <Suspense fallback={<Skeleton height={440} radius="lg" />}>
          <PeriodControl />
          <Loaded query={query} skeleton={<Skeleton height={440} radius="lg" />} hasCards>
            {(data) => (
              <>
                <div>
                  <DayBars
                    title={t('byDay')}
                    bars={data.days.map(({ begins_at: at, moved_bytes: moved }) => ({
                      at,
                      value: moved ?? 0,
                    }))}
                    format={(value) => formatBytes(value, i18n.language)}
                  />
                  <Figures of={data} keys={['traffic', 'billed_traffic', 'active_users']} />
                </div>
                <Table by={byOf(search)} from={data.from} to={data.as_of} />
                <NearLimit />
                <Growth />
              </>
            )}
          </Loaded>
        </Suspense>
      </Stack>
    </div>
  )
}

function Table({ by, from, to }: { by: By; from: string; to: string }) {
  const { t } = useTranslation('console/traffic')
  const { change } = useListSearch()
  const resource = sums(by, { from, to })
  return (
    <Section title={t('ranking')}>
      <Stack gap="sm">
        <SegmentedControl
          size="sm"
          withItemsBorders={false}
          aria-label={t('by')}
          value={by}
          onChange={(value) => change({ by: value })}
          data={BY.map((value) => ({ value, label: t(`of.${value}`) }))}
        />
        {by === 'user' && (
          <Group gap="sm">
            <CsvButton resource={resource} />
            <ParquetButton resource={resource} />
          </Group>
        )}
        <ResourceTable
          caption={t('ranking')}
          resource={resource}
          columns={useColumns(by)}
          {...(by === 'user' && {
            link: ({ key }: Sum) => ({ to: '/admin/users/$id', params: { id: key } }),
          })}
          {...(by === 'node' && {
            link: ({ key }: Sum) => ({ to: '/admin/nodes/$id', params: { id: key } }),
          })}
          empty={{ text: t('none') }}
        />
      </Stack>
    </Section>
  )
}

function useColumns(by: By): Column<Sum>[] {
  const { t, i18n } = useTranslation('console/traffic')
  const zone = useQuery(siteOptions()).data?.time_zone ?? 'UTC'
  const areaName = useAreaName()
  const nameOf = ({ key, name }: Sum) => {
    if (by === 'day') return formatCalendarDay(calendarDay(Date.parse(key), zone), i18n.language)
    if (by === 'country') return key === 'ZZ' ? t('unknown') : areaName(key)
    if (by === 'plan' && key === '') return t('noPlan')
    return name || `#${key}`
  }
  return [
    { key: 'name', title: t(`of.${by}`), place: 'title', cell: nameOf },
    {
      key: 'down',
      title: t('down'),
      width: '9rem',
      align: 'end',
      cell: ({ down }) => <Bytes bytes={down} />,
    },
    {
      key: 'up',
      title: t('up'),
      width: '9rem',
      align: 'end',
      cell: ({ up }) => <Bytes bytes={up} />,
    },
    {
      key: 'sum',
      title: t('sum'),
      width: '9rem',
      align: 'end',
      place: 'fact',
      cell: ({ up, down }) => <Bytes bytes={up + down} />,
    },
    {
      key: 'billed',
      title: t('billed'),
      width: '9rem',
      align: 'end',
      place: 'fact',
      cell: ({ billed }) => <Bytes bytes={billed} />,
    },
  ]
}

function NearLimit() {
  const { t } = useTranslation('console/traffic')
  const may = useMay()('user.read')
  const { data } = useQuery({ ...nearLimitQuery(), enabled: may })
  if (!may || !data) return null
  return (
    <Section title={t('nearLimit')}>
      <TextLink to="/admin/users" search={NEAR_LIMIT as never}>
        {t('nearLimitCount', { count: data.rows })}
      </TextLink>
    </Section>
  )
}

function Growth() {
  const { t, i18n } = useTranslation('console/traffic')
  const { data } = useQuery(growthQuery())
  if (!data) return null
  const month = new Intl.DateTimeFormat(i18n.language, { year: 'numeric', month: 'long' })
  const percent = new Intl.NumberFormat(i18n.language, { signDisplay: 'exceptZero' })
  return (
    <Section title={t('growth')}>
      <Items empty={t('none')}>
        {data.toReversed().map((one) => (
          <Item
            key={one.begins_at}
            // A month begins at midnight of the site's zone, which may be the day before elsewhere.
            name={month.format(Date.parse(one.begins_at) + 36 * 3_600_000)}
            state={<Bytes bytes={one.up_bytes + one.down_bytes} />}
            about={
              <>
                {one.expected_bytes !== null &&
                  one.expected_bytes !== one.up_bytes + one.down_bytes &&
                  `${t('expected', { value: formatBytes(one.expected_bytes, i18n.language) })} `}
                {one.change_percent !== null && `${percent.format(one.change_percent)}%`}
              </>
            }
          />
        ))}
      </Items>
    </Section>
  )
}
