import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { StaffWebhook, WebhookDelivery } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { ActionButton, ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { FilterBar } from '../parts/filter-bar'
import { useListSearch } from '../parts/list-search'
import type { Column } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { Item, Items, Raw, Section } from '../parts/section'
import { requireFound } from '../parts/require-found'
import { type Outcome, useChange, useRedelivery, useRotation, useTest } from './actions'
import { OutcomeNotice, WebhookState } from './outcome'
import { deliveriesOf, deliveryOf, eventsQuery, webhookOf } from '../support/resource'

const route = getRouteApi('/admin/webhooks/$id')
const list = { to: '/admin/webhooks' } as const

/** One webhook, and what was sent to it. */
export function WebhookPage() {
  const { t } = useTranslation('console/webhook')
  const { id } = route.useParams()
  const query = useQuery(webhookOf(id))
  requireFound(query)
  const [outcome, show] = useState<Outcome>()
  const [test, change, rotation] = [useTest(show), useChange(), useRotation(show)]
  return (
    <div data-wide>
      {query.data ? (
        <DetailHeader
          list={{ title: t('title'), link: list }}
          title={query.data.name}
          state={<WebhookState webhook={query.data} />}
          about={query.data.url}
          primary={<ActionButton subject={query.data} action={test} />}
          menu={
            <ActionMenu subject={query.data} name={query.data.name} actions={[change, rotation]} />
          }
        />
      ) : (
        <PageHeader title={t('title')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(webhook) =>
          webhook ? (
            <Stack gap="lg">
              <OutcomeNotice outcome={outcome} />
              <Deliveries webhook={webhook} />
            </Stack>
          ) : (
            <Text>{t('gone')}</Text>
          )
        }
      </Loaded>
    </div>
  )
}

const tones = { waiting: 'warning', delivered: 'success', failed: 'error' } as const

function Deliveries({ webhook: { id } }: { webhook: StaffWebhook }) {
  const { t } = useTranslation('console/webhook')
  const { data: events = [] } = useQuery(eventsQuery())
  const { search } = useListSearch()
  const redelivery = useRedelivery(id)
  const filters = [
    {
      key: 'state',
      title: t('state'),
      kind: 'choice',
      isSingle: true,
      options: (['waiting', 'delivered', 'failed'] as const).map((value) => ({
        value,
        label: t(`delivery.${value}`),
      })),
    },
    {
      key: 'type',
      title: t('event'),
      kind: 'choice',
      isSingle: true,
      options: events.map(({ type, text }) => ({ value: type, label: text })),
    },
  ] as const
  return (
    <>
      {search.delivery && <Delivery webhook={id} delivery={search.delivery} />}
      <FilterBar filters={filters} />
      <ResourceTable
        caption={t('deliveries')}
        resource={deliveriesOf(id)}
        columns={useColumns()}
        link={({ id: delivery }) => ({
          to: '/admin/webhooks/$id',
          params: { id: String(id) },
          search: { ...search, delivery } as never,
        })}
        renderActions={(row) => (
          <ActionMenu subject={row} name={row.event_id} actions={[redelivery]} isRow />
        )}
        empty={{ text: t('noDeliveries') }}
      />
    </>
  )
}

function useColumns(): Column<WebhookDelivery>[] {
  const { t } = useTranslation('console/webhook')
  return [
    { key: 'type', title: t('event'), place: 'title', cell: ({ type }) => type },
    {
      key: 'at',
      title: t('at'),
      width: '12rem',
      place: 'fact',
      cell: ({ event_at: time }) => <Moment time={time} withTime />,
    },
    {
      key: 'state',
      title: t('state'),
      width: '9rem',
      place: 'state',
      cell: ({ state }) => <StatusDot tone={tones[state]}>{t(`delivery.${state}`)}</StatusDot>,
    },
    {
      key: 'attempts',
      title: t('attempts'),
      width: '6rem',
      align: 'end',
      place: 'fact',
      cell: ({ attempts }) => attempts,
    },
    {
      key: 'next',
      title: t('next'),
      width: '12rem',
      cell: ({ next_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
  ]
}

/** The body of one delivery, and how each attempt went. */
function Delivery({ webhook, delivery }: { webhook: number; delivery: string }) {
  const { t } = useTranslation('console/webhook')
  const query = useQuery(deliveryOf(webhook, delivery))
  return (
    <Section title={t('one')}>
      <Loaded query={query} skeleton={<Skeleton height={160} />}>
        {(found) => (
          <Stack gap="sm">
            <Raw>{found.body}</Raw>
            <Items empty={t('noAttempts')}>
              {found.log.map((tried) => (
                <Item
                  key={tried.at}
                  name={<Moment time={tried.at} withTime />}
                  state={
                    <StatusDot tone={tried.is_accepted ? 'success' : 'error'}>
                      {tried.status || tried.error}
                    </StatusDot>
                  }
                  about={`${tried.duration_ms} ms ${tried.answer}`}
                />
              ))}
            </Items>
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}
