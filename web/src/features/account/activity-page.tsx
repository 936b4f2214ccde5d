import { Card } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { ActivityItem } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { activityOf } from './activity-query'
import { ActivityPages } from './components/activity-pages'
import { OriginText } from './components/origin-text'
import { LogSkeleton } from './components/log-skeleton'
import { deviceName } from './origin'

const route = getRouteApi('/user/account/activity')

/** What was done to the account, by its user or the operator. */
export function ActivityPage() {
  const { t } = useTranslation('security')
  const { page } = route.useSearch()
  const activity = useQuery({
    ...activityOf(page),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader title={t('activity.title')} about={t('activity.about')} />
      <Loaded query={activity} skeleton={<LogSkeleton />} hasCards>
        {({ activities, total_count }) =>
          total_count === 0 ? (
            <Card>
              <Empty
                icon={CalendarClock}
                text={t('activity.empty')}
                action={
                  <ButtonLink variant="default" to="/user/account/security">
                    {t('security.title')}
                  </ButtonLink>
                }
              />
            </Card>
          ) : (
            <div data-stale={activity.isPlaceholderData}>
              <Activities list={activities} />
              <ActivityPages page={page} total={total_count} />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function Activities({ list }: { list: readonly ActivityItem[] }) {
  const { t } = useTranslation('security')
  return (
    <DataTable
      caption={t('activity.title')}
      columns={columnsIn(t)}
      rows={list}
      rowKey={(row) => row.activity_id}
    />
  )
}

const columnsIn = (t: TFunction<'security'>): Column<ActivityItem>[] => [
  { key: 'what', header: t('activity.what'), isTitle: true, cell: (row) => row.description },
  { key: 'when', header: t('when'), cell: (row) => <Moment time={row.timestamp} withTime /> },
  {
    key: 'where',
    header: t('where'),
    cell: (row) =>
      row.ip_address || row.browser !== 'Telegram' ? (
        <OriginText ip={row.ip_address} area={row.area} />
      ) : (
        'Telegram'
      ),
  },
  { key: 'device', header: t('device.name'), cell: (row) => deviceName(row, t) },
]
