import { SegmentedControl, Skeleton, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ChartNoAxesCombined } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { trafficTimeAxisCsv } from '@/lib/api/gen/sdk.gen'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { axisOf, axisQuery } from '../queries'
import { bucketsOf, totalOf } from '../series'
import { DEFAULT_RANGE, type Range } from '../ranges'
import classes from '../traffic.module.css'
import { useZone } from '../use-zone'
import { AxisFilters } from './axis-filters'
import { AxisPicture } from './axis-picture'
import { AxisTable } from './axis-table'
import { SaveCsv } from './save-file'
import { Totals } from './totals'

const route = getRouteApi('/user/subscribe-log-chart')

/** Traffic over time, as a picture or as its table. */
export function AxisCard() {
  const { t } = useTranslation('traffic')
  const { t: common } = useTranslation()
  const { range = DEFAULT_RANGE, node } = route.useSearch()
  const [view, setView] = useState('chart')
  const points = useQuery({ ...axisOf(range, node), placeholderData: keepPreviousData })
  const file = (
    <SaveCsv
      name={`traffic-${range}`}
      isEmpty={!points.data?.length}
      load={async () =>
        (await trafficTimeAxisCsv({ query: axisQuery(range, node), parseAs: 'blob' })).data
      }
    />
  )
  return (
    <>
      <header className={classes.head}>
        <Title order={2} size="h3" id="axis-title">
          {t('axis.title')}
        </Title>
        <SegmentedControl
          size="sm"
          withItemsBorders={false}
          aria-label={t('view')}
          value={view}
          onChange={setView}
          data={[
            { value: 'chart', label: common('asChart') },
            { value: 'table', label: common('asTable') },
          ]}
        />
      </header>
      <AxisFilters range={range} node={node} />
      <Loaded query={points} skeleton={<Skeleton className={classes.axis} />}>
        {(list) => (
          <div data-stale={points.isPlaceholderData}>
            {list.length === 0 ? (
              <Empty
                icon={ChartNoAxesCombined}
                text={node === undefined ? t('axis.empty') : t('axis.emptyOf')}
              />
            ) : (
              <Axis
                list={list}
                range={range}
                now={points.dataUpdatedAt}
                isTable={view === 'table'}
                file={file}
              />
            )}
          </div>
        )}
      </Loaded>
    </>
  )
}

function Axis(props: {
  list: Parameters<typeof bucketsOf>[0]
  range: Range
  now: number
  isTable: boolean
  file: ReactNode
}) {
  const { t } = useTranslation('traffic')
  const zone = useZone()
  const { list, range, now, isTable, file } = props
  const buckets = useMemo(() => bucketsOf(list, range, now, zone), [list, range, now, zone])
  return (
    <>
      <Totals {...totalOf(buckets)} hasColors={!isTable}>
        {!isTable && (
          <span className={classes.total}>
            <span aria-hidden="true" className={classes.dashes} />
            {t('unfinished')}
          </span>
        )}
      </Totals>
      {isTable ? (
        <>
          <AxisTable buckets={buckets} range={range} />
          <div className={classes.files}>{file}</div>
        </>
      ) : (
        <AxisPicture buckets={buckets} range={range} file={file} />
      )}
    </>
  )
}
