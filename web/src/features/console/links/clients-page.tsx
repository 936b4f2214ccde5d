import { Anchor, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { staffClientsList, staffClientsOrder } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffApp } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import { OrderButton } from '../parts/order-button'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { systems, useClientActions, useClientAddition } from './client-actions'
import { clients } from './resource'

/** The programs that customers are offered, in their order. */
export function ClientsPage() {
  const { t } = useTranslation('console/link')
  const may = useMay()
  const addition = useClientAddition()
  return (
    <ListPage
      title={t('clients.title')}
      about={t('clients.about')}
      resource={clients}
      columns={useColumns()}
      actions={useClientActions()}
      nameOf={({ name }) => name}
      empty={t('clients.empty')}
      action={
        <Group gap="xs">
          {may('client.write') && (
            <OrderButton
              title={t('clients.order')}
              read={async () => (await staffClientsList({ throwOnError: true })).data}
              save={(ids) => staffClientsOrder({ body: { ids }, throwOnError: true })}
            />
          )}
          <ActionButton subject={undefined} action={addition} isPrimary />
        </Group>
      }
    />
  )
}

function useColumns(): Column<StaffApp>[] {
  const { t } = useTranslation('console/link')
  const named: Partial<Record<string, string>> = systems
  return [
    {
      key: 'name',
      title: t('column.client'),
      place: 'title',
      width: '12rem',
      cell: ({ name }) => name,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '8rem',
      cell: ({ is_enabled: isOffered }) => (
        <StatusDot tone={isOffered ? 'success' : 'neutral'}>
          {t(isOffered ? 'clients.offered' : 'clients.hidden')}
        </StatusDot>
      ),
    },
    {
      key: 'systems',
      title: t('column.systems'),
      place: 'fact',
      cell: ({ platforms }) => platforms.map((one) => named[one] ?? one).join(', '),
    },
    {
      key: 'formats',
      title: t('column.formats'),
      place: 'fact',
      cell: ({ formats }) => formats.join(', '),
    },
    {
      key: 'import',
      title: t('column.import'),
      cell: ({ import_url: address }) => address || t('clients.byHand'),
    },
    {
      key: 'download',
      title: t('column.download'),
      cell: ({ download_url: address }) => (
        <Anchor href={address} target="_blank" rel="noreferrer" size="sm">
          {hostOf(address)}
        </Anchor>
      ),
    },
  ]
}

const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : address)
