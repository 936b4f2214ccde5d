import { Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { StaffWebhook } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { type Outcome, useAddition, useChange, useRemoval, useRotation, useTest } from './actions'
import { OutcomeNotice, WebhookState } from './outcome'
import { webhooks } from '../support/resource'

/** Addresses of the operator's own programs that hear of events. */
export function WebhooksPage() {
  const { t } = useTranslation('console/webhook')
  const [outcome, show] = useState<Outcome>()
  return (
    <Stack gap="md">
      <OutcomeNotice outcome={outcome} />
      <ListPage
        title={t('title')}
        about={t('about')}
        resource={webhooks}
        columns={useColumns()}
        link={({ id }) => ({ to: '/admin/webhooks/$id', params: { id: String(id) } })}
        actions={[useTest(show), useChange(), useRotation(show), useRemoval()]}
        nameOf={({ name }) => name}
        empty={t('empty')}
        action={<ActionButton subject={undefined} action={useAddition(show)} isPrimary />}
      />
    </Stack>
  )
}

function useColumns(): Column<StaffWebhook>[] {
  const { t } = useTranslation('console/webhook')
  return [
    { key: 'name', title: t('name'), width: '14rem', place: 'title', cell: ({ name }) => name },
    { key: 'url', title: t('url'), place: 'fact', cell: ({ url }) => url },
    {
      key: 'events',
      title: t('events'),
      width: '7rem',
      align: 'end',
      cell: ({ events }) => events.length,
    },
    {
      key: 'state',
      title: t('state'),
      width: '11rem',
      place: 'state',
      cell: (one) => <WebhookState webhook={one} />,
    },
    {
      key: 'updated',
      title: t('updated'),
      width: '12rem',
      place: 'fact',
      cell: ({ updated_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
