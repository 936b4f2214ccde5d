import { Group } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffGatewaysList, staffGatewaysOrder } from '@/lib/api/gen/staff/sdk.gen'
import type { GatewayAccount } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { CopyButton } from '@/ui/copy-button'
import { ListPage } from '../parts/list-page'
import { OrderButton } from '../parts/order-button'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { useGatewayActions } from './gateway-actions'
import { GatewayState, hasNotifies, notifyAddress } from './gateway-state'
import { gateways } from './gateway-resource'

/** The site's accounts with payment platforms. */
export function GatewaysPage() {
  const { t } = useTranslation('console/gateway')
  const may = useMay()
  return (
    <ListPage
      title={t('title')}
      about={t('about')}
      resource={gateways}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/gateways/$id', params: { id: String(id) } })}
      actions={useGatewayActions()}
      nameOf={({ name }) => name}
      empty={t('empty')}
      action={may('gateway.write') && <PageActions />}
    />
  )
}

function PageActions() {
  const { t } = useTranslation('console/gateway')
  return (
    <Group gap="xs">
      <OrderButton
        title={t('order')}
        read={async () => (await staffGatewaysList({ throwOnError: true })).data}
        save={(ids) => staffGatewaysOrder({ body: { gateways: ids }, throwOnError: true })}
      />
      <ButtonLink to="/admin/gateways/new" leftSection={<Plus size={16} aria-hidden="true" />}>
        {t('new')}
      </ButtonLink>
    </Group>
  )
}

function useColumns(): Column<GatewayAccount>[] {
  const { t, i18n } = useTranslation('console/gateway')
  return [
    { key: 'name', title: t('field.name'), place: 'title', cell: ({ name }) => name },
    {
      key: 'title',
      title: t('column.title'),
      cell: (one) => (i18n.language.startsWith('zh') ? one.title_zh : one.title_en),
    },
    {
      key: 'kind',
      title: t('column.kind'),
      width: '8rem',
      place: 'fact',
      cell: ({ kind }) => kind,
    },
    {
      key: 'fee',
      title: t('column.fee'),
      width: '9rem',
      place: 'fact',
      align: 'end',
      cell: ({ fee_percent: percent, fee_fixed: fixed }) => `${percent}% + ${fixed}`,
    },
    {
      key: 'currency',
      title: t('field.currency'),
      width: '7rem',
      cell: ({ currency }) => currency,
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '8rem',
      place: 'state',
      cell: (gateway) => <GatewayState gateway={gateway} />,
    },
    {
      key: 'notify',
      title: t('column.notify'),
      width: '8rem',
      cell: (gateway) =>
        hasNotifies(gateway.kind) ? (
          <CopyButton size="compact-sm" text={notifyAddress(gateway)} name={t('column.notify')} />
        ) : (
          '—'
        ),
    },
  ]
}
