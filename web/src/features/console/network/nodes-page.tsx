import { Group } from '@mantine/core'
import { ListChecks, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/ui/button-link'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import { useOwnName } from '../parts/use-own-name'
import { useNodeActions } from './actions'
import { useNodeColumns, useNodeFilters } from './columns'
import { OldNodes } from './old-nodes'
import { nodes } from './resource'

/** The nodes, and how they are now. */
export function NodesPage() {
  const { t } = useTranslation('console/node')
  const may = useMay()
  return (
    <ListPage
      title={t('nodes.title')}
      about={t('nodes.about')}
      resource={nodes}
      columns={useNodeColumns()}
      filters={useNodeFilters()}
      search={{ key: 'q', label: t('nodes.search') }}
      link={({ id }) => ({ to: '/admin/nodes/$id', params: { id: String(id) } })}
      actions={useNodeActions()}
      nameOf={useOwnName()}
      empty={t('nodes.empty')}
      above={<OldNodes />}
      action={
        may('node.write') && (
          <Group gap="xs">
            <ButtonLink
              variant="default"
              to="/admin/nodes/several"
              leftSection={<ListChecks size={16} aria-hidden />}
            >
              {t('several.title')}
            </ButtonLink>
            <ButtonLink to="/admin/nodes/new" leftSection={<Plus size={16} aria-hidden />}>
              {t('nodes.new')}
            </ButtonLink>
          </Group>
        )
      }
    />
  )
}
