import { Card, Skeleton } from '@mantine/core'
import {
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ListX } from 'lucide-react'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { trafficDetailCsv } from '@/lib/api/gen/sdk.gen'
import type { TrafficPage } from '@/lib/api/gen/types.gen'
import { Empty } from '@/ui/empty'
import { ErrorBlock } from '@/ui/error-block'
import { boundsOfDay } from '../days'
import { rowsOf } from '../queries'
import classes from '../traffic.module.css'
import { LogRows } from './log-rows'
import { SaveCsv } from './save-file'
import { Totals } from './totals'

const route = getRouteApi('/user/subscribe-log-detail')

type Filter = { day: string | undefined; node: number | undefined }

const queryOf = ({ day, node }: Filter, zone: string) => ({
  node_id: node,
  ...(day !== undefined && boundsOfDay(day, zone)),
})

/** The rows that the address asks for, with what they add up to. */
export function Log({ zone }: { zone: string }) {
  const { t } = useTranslation('traffic')
  const { day, node } = route.useSearch()
  const isFiltered = day !== undefined || node !== undefined
  const log = useInfiniteQuery({
    ...rowsOf(queryOf({ day, node }, zone)),
    placeholderData: keepPreviousData,
  })
  const { fetchNextPage, hasNextPage, isFetching } = log
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetching])
  const first = log.data?.pages[0]
  if (!first) {
    return log.error ? (
      <Problem log={log} retry={() => void log.refetch()} />
    ) : (
      <Skeleton height={480} aria-busy="true" />
    )
  }
  const rows = log.data?.pages.flatMap(({ records }) => records) ?? []
  return (
    <div data-stale={log.isPlaceholderData}>
      <Sum page={first} filter={{ day, node }} zone={zone} />
      {rows.length === 0 ? (
        <Card>
          <Empty icon={ListX} text={isFiltered ? t('detail.emptyOf') : t('detail.empty')} />
        </Card>
      ) : (
        <LogRows rows={rows} total={first.total_count} zone={zone} onEnd={loadMore} />
      )}
      {log.isFetchNextPageError && <Problem log={log} retry={() => void fetchNextPage()} />}
    </div>
  )
}

function Problem(props: { log: UseInfiniteQueryResult<unknown, Error>; retry: () => void }) {
  const { error, isFetching } = props.log
  return (
    error && (
      <Card mt="md">
        <ErrorBlock error={error} isRetrying={isFetching} onRetry={props.retry} />
      </Card>
    )
  )
}

function Sum({ page, filter, zone }: { page: TrafficPage; filter: Filter; zone: string }) {
  const { t } = useTranslation('traffic')
  const { sum, total_count: count } = page
  return (
    <div className={classes.sum}>
      <Totals up={sum.ss_tx_size} down={sum.ss_rx_size} billed={sum.effective_traffic}>
        <span className={classes.total}>{t('detail.rows', { count })}</span>
      </Totals>
      <SaveCsv
        name={['traffic-log', filter.day, filter.node]
          .filter((part) => part !== undefined)
          .join('-')}
        isEmpty={count === 0}
        load={async () =>
          (await trafficDetailCsv({ query: queryOf(filter, zone), parseAs: 'blob' })).data
        }
      />
    </div>
  )
}
