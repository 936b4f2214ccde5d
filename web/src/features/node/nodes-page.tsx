import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nodesListOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { NodeInfo } from '@/api/gen/types.gen'
import { ButtonLink } from '@/shared/ui/button-link'
import { Empty } from '@/shared/ui/empty'
import { Loaded } from '@/shared/ui/loaded'
import { PageHeader } from '@/shared/ui/page-header'
import { NodeFilters } from './components/node-filters'
import { NodeList } from './components/node-list'
import { NodesSkeleton } from './components/nodes-skeleton'
import { NoNodes } from './components/no-nodes'
import { filterNodes } from './model'
import { useStars } from './stars'
import { useFilter } from './use-filter'

const REFETCH_MS = 60_000

export function NodesPage() {
  const { t } = useTranslation('node')
  const nodes = useQuery({ ...nodesListOptions(), refetchInterval: REFETCH_MS })
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <Loaded query={nodes} skeleton={<NodesSkeleton />} hasCards>
        {({ available_nodes: list }) => (list.length === 0 ? <NoNodes /> : <Nodes nodes={list} />)}
      </Loaded>
    </>
  )
}

function Nodes({ nodes }: { nodes: readonly NodeInfo[] }) {
  const { t, i18n } = useTranslation('node')
  const { filter } = useFilter()
  const { stars, toggle } = useStars()
  // A row that becomes a favourite stays where it is until the view changes: it would run away from who reads it.
  const [placed, place] = useState({ filter, stars })
  if (placed.filter !== filter) place({ filter, stars })
  const found = useMemo(
    () => filterNodes(nodes, filter, stars, i18n.language, placed.stars),
    [nodes, filter, stars, i18n.language, placed],
  )
  return (
    <>
      <NodeFilters nodes={nodes} found={found.length} />
      <Card padding={0}>
        {found.length === 0 ? (
          <Empty
            icon={SearchX}
            text={t('nothing')}
            action={
              <ButtonLink variant="default" to="/user/nodes" search={{}}>
                {t('clear')}
              </ButtonLink>
            }
          />
        ) : (
          <NodeList nodes={found} stars={stars} onToggle={toggle} />
        )}
      </Card>
    </>
  )
}
