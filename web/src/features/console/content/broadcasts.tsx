import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Send, Square } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  staffAnnouncementBroadcast,
  staffAnnouncementBroadcastStop,
} from '@/lib/api/gen/staff/sdk.gen'
import type { Broadcast, StaffAnnouncement } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { useAnnouncementName } from './announcement-state'
import { broadcastsOf, reachOf } from './resource'

type Channel = Broadcast['channel']

/** An announcement by one way of sending it. */
type Sending = {
  announcement: StaffAnnouncement
  channel: Channel
  present: Broadcast | undefined
  /** Unknown until it is counted. */
  reach: number | undefined
}

/** The sending of an announcement by mail and Telegram: to how many, how far it is, and what stops it. */
export function Broadcasts({ announcement }: { announcement: StaffAnnouncement }) {
  const { t } = useTranslation('console/content')
  const query = useQuery(broadcastsOf(announcement.id))
  const { data: reach } = useQuery(reachOf(announcement.id))
  return (
    <Card component="section" aria-label={t('broadcast.title')}>
      <Title order={2} size="h3" mb={4}>
        {t('broadcast.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {t('broadcast.about')}
      </Text>
      <Loaded query={query} skeleton={<Skeleton height={96} />}>
        {(broadcasts) => (
          <Stack gap="md">
            {(['mail', 'telegram'] as const).map((channel) => (
              <Way
                key={channel}
                announcement={announcement}
                channel={channel}
                present={broadcasts.find((one) => one.channel === channel)}
                reach={reach?.[channel]}
              />
            ))}
          </Stack>
        )}
      </Loaded>
    </Card>
  )
}

const tones = { running: 'info', stopped: 'warning', done: 'success' } as const

function Way(sending: Sending) {
  const { t } = useTranslation('console/content')
  const { channel, present, reach } = sending
  return (
    <Group justify="space-between" role="group" aria-label={t(`broadcast.${channel}`)}>
      <div>
        <Group gap="sm">
          <Text fw={500}>{t(`broadcast.${channel}`)}</Text>
          <StatusDot tone={present ? tones[present.state] : 'neutral'}>
            {t(`broadcast.${present?.state ?? 'none'}`)}
          </StatusDot>
        </Group>
        <Text size="sm" c="dimmed">
          {present
            ? t('broadcast.progress', present)
            : reach !== undefined && t('broadcast.reach', { count: reach })}
        </Text>
      </div>
      <Group gap="xs">
        <ActionButton subject={sending} action={useStop()} />
        <ActionButton subject={sending} action={useSend(channel)} />
      </Group>
    </Group>
  )
}

function useSend(channel: Channel): Action<Sending> {
  const { t } = useTranslation('console/content')
  const nameOf = useAnnouncementName()
  return {
    key: 'send',
    icon: Send,
    title: t(channel === 'mail' ? 'broadcast.send' : 'broadcast.sendTelegram'),
    permission: 'announcement.write',
    danger: 'R',
    isShown: ({ present, reach }) =>
      present ? present.state === 'stopped' : reach !== undefined && reach > 0,
    effect: ({ announcement, present, reach }) =>
      present
        ? t('broadcast.goOn', { name: nameOf(announcement) })
        : t('broadcast.effect', { name: nameOf(announcement), count: reach ?? 0 }),
    run: ({ announcement }, { reason }) =>
      staffAnnouncementBroadcast({
        path: { announcement_id: announcement.id },
        body: { channel, reason: String(reason) },
        throwOnError: true,
      }),
    done: () => t('broadcast.started'),
  }
}

function useStop(): Action<Sending> {
  const { t } = useTranslation('console/content')
  const nameOf = useAnnouncementName()
  return {
    key: 'stop',
    icon: Square,
    title: t('broadcast.stop'),
    permission: 'announcement.write',
    danger: 'C',
    isShown: ({ present }) => present?.state === 'running',
    effect: ({ announcement }) => t('broadcast.stopEffect', { name: nameOf(announcement) }),
    run: ({ announcement, channel }) =>
      staffAnnouncementBroadcastStop({
        path: { announcement_id: announcement.id },
        body: { channel },
        throwOnError: true,
      }),
    done: () => t('broadcast.stoppedDone'),
  }
}
