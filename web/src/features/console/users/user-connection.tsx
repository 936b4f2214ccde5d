import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { staffUserConnection } from '@/lib/api/gen/staff/sdk.gen'
import type { ConnectionCheck, ConnectionStep } from '@/lib/api/gen/staff/types.gen'
import { formatBytes } from '@/lib/bytes'
import { formatDateTime } from '@/lib/time'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { Item, Items, Section } from '../parts/section'

const tones = { ok: 'success', warning: 'warning', failing: 'error', skipped: 'neutral' } as const

/** Why a user does not connect, step by step, and the devices that do. */
export function Connection({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  const query = useQuery({
    queryKey: ['console', 'users', 'connection', id],
    queryFn: async ({ signal }) =>
      (await staffUserConnection({ path: { user_id: id }, signal, throwOnError: true })).data,
    staleTime: 5_000,
  })
  return (
    <>
      <Section title={t('connection.title')}>
        <Loaded query={query} skeleton={<Skeleton height={320} />}>
          {({ steps }) => (
            <Items>
              {steps.map((step) => (
                <Item
                  key={step.key}
                  name={t(`connection.step.${step.key}`)}
                  state={
                    <StatusDot tone={tones[step.state]}>{t(`stepState.${step.state}`)}</StatusDot>
                  }
                  about={<Found step={step} />}
                />
              ))}
            </Items>
          )}
        </Loaded>
      </Section>
      {query.data && <Addresses addresses={query.data.addresses} />}
    </>
  )
}

/** What was found, in words, and where it is mended. */
function Found({ step }: { step: ConnectionStep }) {
  const { t, i18n } = useTranslation('console/user-tabs')
  const isBytes = step.key === 'quota'
  const figure = (value: number | null) =>
    value === null ? '' : isBytes ? formatBytes(value, i18n.language) : String(value)
  const values: Record<string, string> = {
    n: figure(step.count),
    of: figure(step.of),
    at: step.at ? formatDateTime(step.at, i18n.language) : '—',
    detail: step.detail || '—',
  }
  const words = t(`connection.${step.key}.${step.code}` as 'connection.address.blocked', {
    detail: '',
    ...values,
    ...(step.count !== null && { count: step.count }),
  })
  return (
    <>
      {words}
      {step.state === 'failing' && (step.key === 'nodes' || step.key === 'online') && (
        <>
          {' '}
          <TextLink to="/admin/nodes">{t('connection.toNodes')}</TextLink>
        </>
      )}
    </>
  )
}

function Addresses({ addresses }: { addresses: ConnectionCheck['addresses'] }) {
  const { t } = useTranslation('console/user-tabs')
  return (
    <Section title={t('addresses')}>
      <Items empty={t('noAddresses')}>
        {addresses.map((one) => (
          <Item
            key={`${one.ip} ${one.node_id}`}
            name={one.ip}
            state={
              <TextLink to="/admin/nodes/$id" params={{ id: String(one.node_id) }}>
                {one.node || `#${one.node_id}`}
              </TextLink>
            }
            about={
              <>
                {t('since')} <Moment time={one.since} withTime />
                {one.blocked && ` · ${t('blocked')}`}
              </>
            }
          />
        ))}
      </Items>
    </Section>
  )
}
