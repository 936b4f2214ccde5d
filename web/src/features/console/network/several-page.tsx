import { Button, Checkbox, Group, Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffNodesChange } from '@/lib/api/gen/staff/sdk.gen'
import type { BulkNodeBody, BulkNodeResult, StaffNode } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { StatusDot } from '@/ui/status-dot'
import { toast } from '@/ui/toast'
import type { Action, Values } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { Item, Items, Section } from '../parts/section'
import { NodeState } from './columns'
import classes from './network.module.css'
import { allNodes } from './resource'

type Change = Omit<BulkNodeBody, 'ids'>
type Done = { results: readonly BulkNodeResult[]; before: readonly StaffNode[]; change: Change }

/** Changes several nodes with one call, and says of each what became of it. */
export function SeveralNodesPage() {
  const { t } = useTranslation('console/node')
  const query = useQuery(allNodes())
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [done, setDone] = useState<Done>()
  const change = useChange(setDone)
  const subject = query.data?.filter(({ id }) => chosen.has(id)) ?? []
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: t('nodes.title'), link: { to: '/admin/nodes' } }}
        title={t('several.title')}
        about={t('several.chosen', { count: subject.length })}
        primary={subject.length > 0 && <ActionButton subject={subject} action={change} isPrimary />}
      />
      {done && <Results {...done} onUndone={() => setDone(undefined)} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(nodes) => <Choice nodes={nodes} chosen={chosen} onChoose={setChosen} />}
      </Loaded>
    </div>
  )
}

function Choice(props: {
  nodes: readonly StaffNode[]
  chosen: ReadonlySet<number>
  onChoose: (chosen: ReadonlySet<number>) => void
}) {
  const { t } = useTranslation('console/node')
  const { nodes, chosen, onChoose } = props
  const isAll = nodes.length > 0 && nodes.every(({ id }) => chosen.has(id))
  const set = (id: number, isOn: boolean) =>
    onChoose(new Set(isOn ? [...chosen, id] : [...chosen].filter((one) => one !== id)))
  return (
    <Section title={t('several.nodes')}>
      <div className={classes.checks}>
        <Checkbox
          label={t('several.all', { count: nodes.length })}
          checked={isAll}
          onChange={() => onChoose(new Set(isAll ? [] : nodes.map(({ id }) => id)))}
        />
        {nodes.map((node) => (
          <Group key={node.id} justify="space-between">
            <Checkbox
              label={node.name}
              description={`×${Number(node.rate)} · ${t('column.group')} ${node.group_id || t('any')}`}
              checked={chosen.has(node.id)}
              onChange={({ currentTarget }) => set(node.id, currentTarget.checked)}
            />
            <NodeState node={node} />
          </Group>
        ))}
      </div>
    </Section>
  )
}

const KEEP = ''

function changeOf(values: Values): Change {
  const group = String(values.group_id ?? '').trim()
  const rate = String(values.rate ?? '').trim()
  return {
    ...(values.enabled !== KEEP && { enabled: values.enabled === 'true' }),
    ...(values.visible !== KEEP && { visible: values.visible === 'true' }),
    ...(group && { group_id: Number(group) }),
    ...(rate && { rate }),
  }
}

function useChange(onDone: (done: Done) => void): Action<readonly StaffNode[]> {
  const { t } = useTranslation('console/node')
  const yesNo = [
    { value: KEEP, label: t('several.keep') },
    { value: 'true', label: t('is.true') },
    { value: 'false', label: t('is.false') },
  ]
  return {
    key: 'several',
    icon: ListChecks,
    title: t('several.change'),
    permission: 'node.write',
    danger: 'C',
    fields: () => [
      { name: 'enabled', label: t('field.enabled'), kind: 'choice', options: yesNo },
      { name: 'visible', label: t('field.visible'), kind: 'choice', options: yesNo },
      {
        name: 'group_id',
        label: t('field.group_id'),
        hint: t('several.empty'),
        kind: 'number',
        rules: { pattern: /^\d+$/ },
      },
      {
        name: 'rate',
        label: t('field.rate'),
        hint: t('several.empty'),
        kind: 'text',
        rules: { pattern: /^\d{1,3}(\.\d{1,3})?$/ },
      },
    ],
    effect: (nodes, { enabled }) =>
      enabled === 'false'
        ? t('several.disableEffect', {
            nodes: nodes.length,
            count: nodes.reduce((sum, { online_users: users }) => sum + users, 0),
          })
        : t('several.effect', { count: nodes.length }),
    run: async (before, values) => {
      const change = changeOf(values)
      const ids = before.map(({ id }) => id)
      const { data } = await staffNodesChange({ body: { ids, ...change }, throwOnError: true })
      onDone({ results: data.results, before, change })
    },
    done: (nodes) => t('several.done', { count: nodes.length }),
  }
}

/** The former values of what was changed. */
const formerOf = (node: StaffNode, change: Change): Change =>
  Object.fromEntries(Object.keys(change).map((key) => [key, node[key as keyof Change]]))

function Results({ results, before, change, onUndone }: Done & { onUndone: () => void }) {
  const { t } = useTranslation('console/node')
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const undo = async () => {
    setBusy(true)
    const changed = before.filter(({ id }) => results.some((row) => row.id === id && row.changed))
    // Nodes that were alike go back together.
    const groups = new Map<string, number[]>()
    for (const node of changed) {
      const former = JSON.stringify(formerOf(node, change))
      groups.set(former, [...(groups.get(former) ?? []), node.id])
    }
    try {
      for (const [former, ids] of groups) {
        const body = { ids, ...(JSON.parse(former) as Change) }
        await staffNodesChange({ body, throwOnError: true })
      }
      await client.invalidateQueries({ queryKey: ['console'] })
      await toast('success', t('several.undone'))
      onUndone()
    } finally {
      setBusy(false)
    }
  }
  const names = new Map(before.map(({ id, name }) => [id, name]))
  return (
    <Section title={t('several.results')}>
      <Items>
        {results.map(({ id, changed, problem }) => (
          <Item
            key={id}
            name={names.get(id) ?? `#${id}`}
            state={
              <StatusDot tone={changed ? 'success' : 'error'}>
                {t(changed ? 'several.changed' : 'several.refused')}
              </StatusDot>
            }
            about={problem}
          />
        ))}
      </Items>
      <Group mt="md" justify="space-between">
        <Text size="sm" c="dimmed">
          {t('several.undoAbout')}
        </Text>
        <Button variant="default" size="sm" loading={isBusy} onClick={() => void undo()}>
          {t('several.undo')}
        </Button>
      </Group>
    </Section>
  )
}
