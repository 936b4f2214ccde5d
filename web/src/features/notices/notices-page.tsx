import { Card, Checkbox, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { noticesGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NoticeChannel, NoticeEvent, NoticesResult } from '@/lib/api/gen/types.gen'
import { type Column, DataTable } from '@/ui/data-table'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { Channels } from './components/channels'
import { pushQuery } from './push-calls'
import { useChoice } from './use-choice'
import { pushStateQuery } from './use-push'
import classes from './notices.module.css'

/** What the user is notified of, and by which channels. */
export function NoticesPage() {
  const { t } = useTranslation('notices')
  const notices = useQuery(noticesGetOptions())
  const push = useQuery(pushQuery)
  const here = useQuery(pushStateQuery)
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <Loaded query={notices} skeleton={<PageSkeleton />} hasCards>
        {(found) =>
          // The channels take their final place at once.
          push.isPending || here.isPending ? (
            <PageSkeleton />
          ) : (
            <div className={classes.page}>
              <Channels notices={found} />
              <Events notices={found} />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function PageSkeleton() {
  return (
    <div className={classes.page}>
      <Card>
        <Skeleton height={120} />
      </Card>
      <Skeleton height={560} radius="lg" />
    </div>
  )
}

function Events({ notices }: { notices: NoticesResult }) {
  const { t } = useTranslation('notices')
  const columns: Column<NoticeEvent>[] = [
    { key: 'event', header: t('events.event'), cell: about, isTitle: true },
    ...channelsOf(notices).map((channel) => ({
      key: channel,
      header: t(`channels.${channel}`),
      cell: choices[channel],
    })),
  ]
  return (
    <section aria-label={t('events.title')}>
      <DataTable
        caption={t('events.title')}
        columns={columns}
        rows={notices.events}
        rowKey={({ event }) => event}
      />
    </section>
  )
}

/** The channels that the site has; what the user has to link or turn on first can be chosen before. */
function channelsOf({ telegram }: NoticesResult): NoticeChannel['channel'][] {
  return telegram === 'off' ? ['mail', 'push'] : ['mail', 'telegram', 'push']
}

const about = (row: NoticeEvent) => <About row={row} />

const choices = {
  mail: (row: NoticeEvent) => <Choice row={row} channel="mail" />,
  telegram: (row: NoticeEvent) => <Choice row={row} channel="telegram" />,
  push: (row: NoticeEvent) => <Choice row={row} channel="push" />,
}

function About({ row: { event } }: { row: NoticeEvent }) {
  const { t } = useTranslation('notices')
  return (
    <>
      <span className={classes.event}>{t(`event.${event}.name`)}</span>
      <span className={classes.text}>{t(`event.${event}.text`)}</span>
    </>
  )
}

function Choice({ row, channel }: { row: NoticeEvent; channel: NoticeChannel['channel'] }) {
  const { t } = useTranslation('notices')
  const choose = useChoice()
  const own = row.channels.find((each) => each.channel === channel)
  if (!own) return <span aria-hidden="true">–</span>
  return (
    <Checkbox
      aria-label={t('events.wants', {
        event: t(`event.${row.event}.name`),
        channel: t(`channels.${channel}`),
      })}
      title={own.is_mandatory ? t('events.always') : undefined}
      checked={own.is_wanted}
      disabled={own.is_mandatory}
      onChange={(change) =>
        choose({ event: row.event, channel, is_wanted: change.currentTarget.checked })
      }
    />
  )
}
