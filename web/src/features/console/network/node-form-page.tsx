import { NativeSelect, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { staffNodeAdd, staffNodeChange } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffNode } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { DetailHeader } from '../parts/detail-header'
import { useListSearch } from '../parts/list-search'
import { renameFields } from '../parts/rename-fields'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { useOwnName } from '../parts/use-own-name'
import { fieldOf } from './field-names'
import { useNodeSections } from './form'
import { isProtocol, type Protocol, protocolOf, protocols } from './protocols'
import { installKey, nodeOf } from './resource'
import { blank, bodyOf, changeOf, valuesOf } from './values'

/** A new node, of a protocol that the address names, or as another one is. */
export function NewNodePage() {
  const { t } = useTranslation('console/node')
  const { search, change } = useListSearch()
  const from = useQuery({ ...nodeOf(search.from ?? ''), enabled: search.from !== undefined })
  const protocol = isProtocol(search.protocol) ? search.protocol : 'vless'
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: t('nodes.title'), link: { to: '/admin/nodes' } }}
        title={t('nodes.new')}
      />
      {search.from === undefined ? (
        <>
          <NativeSelect
            mb="md"
            maw="24rem"
            label={t('column.protocol')}
            value={protocol}
            data={Object.entries(protocols).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget }) =>
              change({ protocol: currentTarget.value }, { replace: true })
            }
          />
          <NewNode key={protocol} protocol={protocol} initial={blank(protocol)} />
        </>
      ) : (
        <Loaded query={from} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
          {(node) => <NewNode protocol={protocolOf(node)} initial={copyOf(node)} />}
        </Loaded>
      )}
    </div>
  )
}

/** Another node is at another address, with keys of its own. */
const copyOf = (node: StaffNode): FormValues => ({
  ...valuesOf(node),
  name: `${node.name} 2`,
  name_zh: node.name_zh && `${node.name_zh} 2`,
  name_en: node.name_en && `${node.name_en} 2`,
  address: '',
  server_name: '',
  short_ids: '',
  group_hosts: '',
  relays: '',
})

function NewNode({ protocol, initial }: { protocol: Protocol; initial: FormValues }) {
  const { t } = useTranslation('console/node')
  const client = useQueryClient()
  const leave = useLeave()
  const made = useRef<number>(undefined)
  return (
    <ResourceForm
      draftKey={`node:new:${protocol}`}
      initial={initial}
      isNew
      sections={useNodeSections(protocol, true)}
      submit={t('nodes.add')}
      save={async (values) => {
        const body = bodyOf(protocol, values)
        const { data } = await renameFields(staffNodeAdd({ body, throwOnError: true }), fieldOf)
        made.current = data.node.id
        client.setQueryData(installKey(data.node.id), data.install)
      }}
      onSaved={() =>
        leave({ to: '/admin/nodes/$id', params: { id: String(made.current) } }, t('nodes.added'))
      }
      onReceived={() => leave({ to: '/admin/nodes' }, t('nodes.secretLost'))}
    />
  )
}

const route = getRouteApi('/admin/nodes/$id/edit')

/** Changes a node; its agent follows at once. */
export function EditNodePage() {
  const { t } = useTranslation('console/node')
  const ownName = useOwnName()
  const { id } = route.useParams()
  const query = useQuery(nodeOf(id))
  requireFound(query)
  return (
    <div data-wide>
      <DetailHeader
        list={{
          title: query.data ? ownName(query.data) : t('nodes.title'),
          link: { to: '/admin/nodes/$id', params: { id } },
        }}
        title={t('nodes.change')}
        about={query.data && protocols[protocolOf(query.data)]}
      />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(node) => <EditNode key={id} node={node} />}
      </Loaded>
    </div>
  )
}

function EditNode({ node }: { node: StaffNode }) {
  const { t } = useTranslation('console/node')
  const ownName = useOwnName()
  const leave = useLeave()
  const id = String(node.id)
  const { edited, reload } = useEdited(node, nodeOf(id), valuesOf)
  return (
    <ResourceForm
      draftKey={`node:${id}`}
      initial={valuesOf(edited)}
      sections={useNodeSections(protocolOf(node), false)}
      submit={t('nodes.save')}
      save={(values, changed) =>
        renameFields(
          staffNodeChange({
            path: { node_id: node.id },
            headers: { 'If-Match': `"${edited.version}"` },
            body: changeOf(edited, values, changed),
            throwOnError: true,
          }),
          fieldOf,
        )
      }
      reload={reload}
      onSaved={() =>
        leave({ to: '/admin/nodes/$id', params: { id } }, t('nodes.saved', { name: ownName(node) }))
      }
    />
  )
}
