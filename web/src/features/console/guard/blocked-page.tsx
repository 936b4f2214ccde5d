import { LockOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffIpUnblock } from '@/lib/api/gen/staff/sdk.gen'
import type { BlockedIp } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { NodeLink } from './hits-page'
import { blocked } from './resource'

/** The addresses that all nodes block because one was attacked from them. */
export function BlockedPage() {
  const { t } = useTranslation('console/guard')
  const may = useMay()
  return (
    <ListPage
      title={t('blocked.title')}
      about={t('blocked.about')}
      resource={blocked}
      columns={useColumns()}
      filters={[{ key: 'node_id', title: t('filter.node'), kind: 'reference' }]}
      search={{ key: 'ip', label: t('blocked.search') }}
      actions={[useRelease()]}
      nameOf={({ ip }) => ip}
      empty={t('blocked.empty')}
      action={
        may('network.ban.read') && (
          <ButtonLink variant="default" size="sm" to="/admin/blocked-addresses/bans">
            {t('bans.title')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<BlockedIp>[] {
  const { t } = useTranslation('console/guard')
  return [
    { key: 'ip', title: t('column.address'), place: 'title', cell: ({ ip }) => ip },
    {
      key: 'node',
      title: t('column.blockedBy'),
      place: 'fact',
      cell: ({ node_id: id, node_name: name }) => <NodeLink id={id} name={name} />,
    },
    {
      key: 'at',
      title: t('column.blockedAt'),
      place: 'fact',
      width: '12rem',
      cell: ({ blocked_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useRelease(): Action<BlockedIp> {
  const { t } = useTranslation('console/guard')
  return {
    key: 'release',
    icon: LockOpen,
    title: t('blocked.release'),
    permission: 'node.blocked_address.lift',
    danger: 'C',
    effect: ({ ip }) => t('blocked.releaseEffect', { ip }),
    run: ({ ip }) => staffIpUnblock({ body: { ip }, throwOnError: true }),
    done: ({ ip }) => t('blocked.released', { ip }),
  }
}
