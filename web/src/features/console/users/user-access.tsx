import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import {
  staffUserLinkFetches,
  staffUserSessions,
  staffUserSessionsEnd,
  staffUserSignIns,
  staffUserTraffic,
} from '@/lib/api/gen/staff/sdk.gen'
import type { UserSession, UserTrafficDay } from '@/lib/api/gen/staff/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { Bytes } from '@/ui/bytes'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionMenu } from '../parts/action-runner'
import { Item, Section } from '../parts/section'
import { useAreaName } from '../parts/use-area-name'
import { ListSection } from './list-section'
import { Connection } from './user-connection'

const AreaChart = lazyPart(() => import('@/ui/charts/area-chart'), 'AreaChart')
const LINES = 20
const DAYS = 30

/** Why a user does not connect, from where they do, what they moved, and their sign-ins. */
export function UserAccess({ id }: { id: number }) {
  return (
    <Stack gap="lg">
      <Connection id={id} />
      <Traffic id={id} />
      <Fetches id={id} />
      <Sessions id={id} />
      <SignIns id={id} />
    </Stack>
  )
}

function Traffic({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  const query = useQuery({
    queryKey: ['console', 'users', 'traffic', id],
    queryFn: async ({ signal }) =>
      (
        await staffUserTraffic({
          path: { user_id: id },
          query: { days: DAYS },
          signal,
          throwOnError: true,
        })
      ).data,
    staleTime: 60_000,
  })
  return (
    <Section title={t('traffic', { count: DAYS })}>
      <Loaded query={query} skeleton={<Skeleton height={260} />}>
        {(days) =>
          days.length === 0 ? <Text c="dimmed">{t('noTraffic')}</Text> : <Chart days={days} />
        }
      </Loaded>
    </Section>
  )
}

function Chart({ days }: { days: readonly UserTrafficDay[] }) {
  const { t } = useTranslation('console/user-tabs')
  const times = useMemo(() => days.map(({ at }) => Date.parse(at)), [days])
  const total = days.reduce((sum, { billed_bytes: billed }) => sum + billed, 0)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('billed')} <Bytes bytes={total} />
      </Text>
      <div style={{ height: 260 }}>
        <Suspense fallback={<Skeleton height={260} />}>
          <AreaChart
            label={t('traffic', { count: DAYS })}
            days={times}
            series={[
              { name: t('down'), values: days.map(({ down_bytes: down }) => down) },
              { name: t('up'), values: days.map(({ up_bytes: up }) => up) },
            ]}
          />
        </Suspense>
      </div>
    </Stack>
  )
}

function Fetches({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  const areaName = useAreaName()
  return (
    <ListSection
      title={t('fetches')}
      queryKey={['users', 'fetches', id]}
      read={async (signal) =>
        (
          await staffUserLinkFetches({
            path: { user_id: id },
            query: { limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.fetches
      }
      empty={t('noFetches')}
    >
      {(row) => (
        <Item
          key={row.id}
          name={`${row.client || row.user_agent || '—'} ${row.version}`}
          state={
            <StatusDot tone={row.status < 400 ? 'success' : 'error'}>
              {String(row.status)}
            </StatusDot>
          }
          about={
            <>
              <Moment time={row.at} withTime /> · {row.ip} · {areaName(row.area)} ·{' '}
              {t('nodesIn', { count: row.nodes })}
            </>
          }
        />
      )}
    </ListSection>
  )
}

type OneSession = UserSession & { user_id: number }

function Sessions({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  const areaName = useAreaName()
  const end = useEndSession()
  return (
    <ListSection
      title={t('sessions')}
      queryKey={['users', 'sessions', id]}
      read={async (signal) =>
        (await staffUserSessions({ path: { user_id: id }, signal, throwOnError: true })).data
      }
      empty={t('noSessions')}
    >
      {(row) => (
        <Item
          key={row.id}
          name={row.is_by_staff ? t('visit') : `${row.browser || '—'} · ${row.system || '—'}`}
          state={
            <ActionMenu
              subject={{ ...row, user_id: id }}
              name={`${row.browser} ${row.ip}`}
              actions={[end]}
              isRow
            />
          }
          about={
            <>
              {row.ip} · {areaName(row.area)} · {t('seen')} <Moment time={row.seen_at} withTime />
            </>
          }
        />
      )}
    </ListSection>
  )
}

function useEndSession(): Action<OneSession> {
  const { t } = useTranslation('console/user-tabs')
  return {
    key: 'end',
    icon: LogOut,
    title: t('endSession.title'),
    permission: 'user.recover',
    danger: 'R',
    effect: ({ browser, ip }) => t('endSession.effect', { browser: browser || '—', ip }),
    run: ({ id, user_id: user }, { reason }) =>
      staffUserSessionsEnd({
        path: { user_id: user },
        body: { session_id: id, reason: String(reason) },
        throwOnError: true,
      }),
    done: () => t('endSession.done'),
  }
}

function SignIns({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  const areaName = useAreaName()
  return (
    <ListSection
      title={t('signIns')}
      queryKey={['users', 'sign-ins', id]}
      read={async (signal) =>
        (await staffUserSignIns({ path: { user_id: id }, signal, throwOnError: true })).data.slice(
          0,
          LINES,
        )
      }
      empty={t('noSignIns')}
    >
      {(row) => (
        <Item
          key={`${row.at} ${row.ip}`}
          name={row.ip}
          state={
            <StatusDot tone={row.wrong ? 'error' : 'success'}>
              {t(row.wrong ? `wrong.${row.wrong as 'password'}` : 'signedIn')}
            </StatusDot>
          }
          about={
            <>
              <Moment time={row.at} withTime /> · {areaName(row.area)} · {row.user_agent}
            </>
          }
        />
      )}
    </ListSection>
  )
}
