import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nodesListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NodeInfo, NodesListResponse } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { NodeFilters } from './components/node-filters'
import { NodeList } from './components/node-list'
import { NodesSkeleton } from './components/nodes-skeleton'
import { NoNodes } from './components/no-nodes'
import { filterNodes, groupNodes, usableFirst } from './model'
import classes from './nodes-page.module.css'
import { useFilter } from './use-filter'
import { useOpenNode } from './use-open-node'
import { useStoredSet } from './use-stored-set'

const NodeDrawer = lazyPart(() => import('./components/node-drawer'), 'NodeDrawer')

const REFETCH_MS = 60_000

export function NodesPage() {
  const { t } = useTranslation('node')
  const nodes = useQuery({ ...nodesListOptions(), refetchInterval: REFETCH_MS })
  return (
    <>
      <PageHeader title={t('title')} about={t('about')} />
      <Loaded query={nodes} skeleton={<NodesSkeleton />} hasCards>
        {(lists) => <Nodes lists={lists} />}
      </Loaded>
    </>
  )
}

function Nodes({ lists }: { lists: NodesListResponse }) {
  const { available_nodes: usable, locked_nodes: locked } = lists
  const nodes = useMemo(() => [...usable, ...locked], [usable, locked])
  const lockedIds = useMemo(() => new Set(locked.map(({ node_id: id }) => id)), [locked])
  return (
    <>
      {usable.length === 0 && <NoNodes />}
      {nodes.length > 0 && <Found nodes={nodes} locked={lockedIds} />}
      <OpenNode nodes={nodes} locked={lockedIds} />
    </>
  )
}

function Found({ nodes, locked }: { nodes: readonly NodeInfo[]; locked: ReadonlySet<number> }) {
  const { t, i18n } = useTranslation('node')
  const { filter } = useFilter()
  const { values: favourites, toggle } = useStoredSet<number>('favourite_nodes')
  const { values: closed, toggle: toggleRegion } = useStoredSet<string>('closed_regions')
  // A row that becomes a favourite stays where it is until the view changes: it would run away from who reads it.
  const [placed, place] = useState({ filter, favourites })
  if (placed.filter !== filter) place({ filter, favourites })
  const first = placed.favourites
  const found = useMemo(
    () => filterNodes(nodes, filter, favourites, i18n.language, first),
    [nodes, filter, favourites, i18n.language, first],
  )
  // An order over all of them leaves no regions.
  const groups = useMemo(
    () =>
      filter.sort
        ? [{ code: '', nodes: usableFirst(found, locked) }]
        : groupNodes(found, first, locked),
    [found, filter.sort, first, locked],
  )
  return (
    <>
      <NodeFilters nodes={nodes} found={found.length} />
      <Card padding={0} className={classes.card}>
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
          <NodeList
            groups={groups}
            closed={filter.q ? noRegions : closed}
            onToggleRegion={toggleRegion}
            locked={locked}
            favourites={favourites}
            onToggle={toggle}
          />
        )}
      </Card>
    </>
  )
}

/** What is searched for is never in a closed region. */
const noRegions: ReadonlySet<string> = new Set()

/** The drawer is brought when it is first opened and then stays for its way out. */
function OpenNode({ nodes, locked }: { nodes: readonly NodeInfo[]; locked: ReadonlySet<number> }) {
  const { id, close, closed } = useOpenNode()
  const [last, setLast] = useState(id)
  if (id !== undefined && id !== last) setLast(id)
  if (last === undefined) return null
  return (
    <Suspense>
      <NodeDrawer
        node={nodes.find(({ node_id: each }) => each === last)}
        isLocked={locked.has(last)}
        opened={id !== undefined}
        onClose={close}
        onClosed={() => {
          closed()
          // The row may be out of sight, or never have been in it: then the page has the focus.
          const link = document.querySelector<HTMLElement>(`[data-node="${last}"]`)
          const next = link ?? document.querySelector<HTMLElement>('#main')
          next?.focus({ preventScroll: true })
        }}
      />
    </Suspense>
  )
}
