import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Hammer } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffNodesRebuild } from '@/lib/api/gen/staff/sdk.gen'
import type { RebuiltNode } from '@/lib/api/gen/staff/types.gen'
import { Notice } from '@/ui/notice'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import type { Field } from '../parts/field'
import { useMay } from '../parts/permissions'
import { oldNodes } from './resource'

/** Says that nodes speak Shadowsocks as it was before 2022, and rebuilds them; nothing where none does. */
export function OldNodes() {
  const { t } = useTranslation('console/node')
  const may = useMay()
  const { data: nodes = [] } = useQuery(oldNodes())
  const action = useRebuild()
  if (!may('node.write') || nodes.length === 0) return null
  return (
    <Box mb="md">
      <Notice tone="warning" action={<ActionButton subject={nodes} action={action} />}>
        {t('old.notice', { count: nodes.length })}
      </Notice>
    </Box>
  )
}

function useRebuild(): Action<readonly RebuiltNode[]> {
  const { t } = useTranslation('console/node')
  return {
    key: 'rebuild',
    icon: Hammer,
    title: t('old.rebuild'),
    permission: 'node.write',
    danger: 'R',
    fields: (nodes) =>
      nodes.map(
        ({
          node_id: id,
          node_name: name,
          method,
          server_address: host,
          server_port: port,
        }): Field => ({
          name: `node_${id}`,
          label: `${name} #${id}`,
          kind: 'shown',
          initial: `${method} → VMess · ${host}:${port}`,
        }),
      ),
    effect: (nodes) => t('old.effect', { count: nodes.length }),
    run: (_, { reason }) =>
      staffNodesRebuild({ body: { reason: String(reason) }, throwOnError: true }),
    done: (nodes) => t('old.done', { count: nodes.length }),
  }
}
