import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Shuffle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffLinkGroupsDeal } from '@/lib/api/gen/staff/sdk.gen'
import type { NodeGroups, NodeName } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { Item, Items, Section } from '../parts/section'
import classes from './network.module.css'
import { nodeGroups } from './resource'

/** Who may use which nodes, and through what they reach them. */
export function NodeGroupsPage() {
  const { t } = useTranslation('console/node')
  const query = useQuery(nodeGroups())
  return (
    <div data-wide>
      <PageHeader
        title={t('groups.title')}
        about={t('groups.about')}
        action={<ActionButton subject={null} action={useDeal()} />}
      />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(all) => <Groups {...all} />}
      </Loaded>
    </div>
  )
}

const NodeLink = ({ node, edits }: { node: NodeName; edits?: boolean }) => (
  <TextLink
    to={edits ? '/admin/nodes/$id/edit' : '/admin/nodes/$id'}
    params={{ id: String(node.id) }}
    underline="hover"
  >
    {node.name}
  </TextLink>
)

function Groups({ groups, link_groups: linkGroups, relays }: NodeGroups) {
  return (
    <div className={classes.stack}>
      <Rights groups={groups} />
      <LinkGroups groups={linkGroups} />
      <Relays relays={relays} />
    </div>
  )
}

function Rights({ groups }: { groups: NodeGroups['groups'] }) {
  const { t } = useTranslation('console/node')
  return (
    <Section title={t('groups.groups')}>
      <Items empty={t('groups.none')}>
        {groups.map(({ class: level, group_id: group, nodes }) => (
          <Item
            key={`${group}/${level}`}
            name={group ? t('groups.group', { group }) : t('groups.everyGroup')}
            state={level ? t('groups.class', { level }) : t('groups.everyClass')}
            about={
              <span className={classes.names}>
                {nodes.map((node) => (
                  <NodeLink key={node.id} node={node} />
                ))}
              </span>
            }
          />
        ))}
      </Items>
    </Section>
  )
}

function LinkGroups({ groups }: { groups: NodeGroups['link_groups'] }) {
  const { t } = useTranslation('console/node')
  return (
    <Section title={t('groups.links')}>
      <Items empty={t('groups.noLinks')}>
        {groups.map(({ group, users, hosts }) => (
          <Item
            key={group}
            name={t('groups.group', { group })}
            state={t('groups.users', { count: users })}
            about={
              <span className={classes.names}>
                {hosts.map(({ node, host, port }) => (
                  <span key={node.id}>
                    <NodeLink node={node} edits /> {host}
                    {port > 0 && `:${port}`}
                  </span>
                ))}
              </span>
            }
          />
        ))}
      </Items>
    </Section>
  )
}

function Relays({ relays }: { relays: NodeGroups['relays'] }) {
  const { t } = useTranslation('console/node')
  return (
    <Section title={t('groups.relays')}>
      <Items empty={t('groups.noRelays')}>
        {relays.map(({ node, name, host, port, by }) => (
          <Item
            key={`${node.id}/${name}`}
            name={
              <>
                {name} → <NodeLink node={node} edits />
              </>
            }
            state={`${host}:${port}`}
            about={
              by ? (
                <>
                  {t('groups.by')} <NodeLink node={by} />
                </>
              ) : (
                t('groups.byOwn')
              )
            }
          />
        ))}
      </Items>
    </Section>
  )
}

function useDeal(): Action<null> {
  const { t } = useTranslation('console/node')
  return {
    key: 'deal',
    icon: Shuffle,
    title: t('groups.deal'),
    permission: 'node.write',
    danger: 'C',
    fields: () => [{ name: 'anew', label: t('groups.anew'), kind: 'switch' }],
    effect: (_, { anew }) => t(anew === true ? 'groups.anewEffect' : 'groups.dealEffect'),
    run: (_, { anew }) =>
      staffLinkGroupsDeal({ body: { anew: anew === true }, throwOnError: true }),
    done: () => t('groups.dealt'),
  }
}
