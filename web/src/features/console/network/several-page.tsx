import { Button, Checkbox, Group, Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ListChecks } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffNodesChange } from '@/lib/api/gen/staff/sdk.gen'
import type { BulkNodeBody, BulkNodeResult, StaffNode } from '@/lib/api/gen/staff/types.gen'
import { problemText } from '@/lib/server-problem'
import { Loaded } from '@/ui/loaded'
import { StatusDot } from '@/ui/status-dot'
import { toast } from '@/ui/toast'
import type { Action, Values } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { Item, Items, Section } from '../parts/section'
import { useOwnName } from '../parts/use-own-name'
import { NodeState } from './columns'
import classes from './network.module.css'
import { allNodes } from './resource'

type Change = Omit<BulkNodeBody, 'ids' | 'versions'>
/** What became of a node: by the change, and then by taking that back. */
type Row = BulkNodeResult & { undo?: 'undone' | 'kept' }
type Done = { rows: readonly Row[]; before: readonly StaffNode[]; change: Change }

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
      {done && <Results done={done} onChange={setDone} />}
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
  const ownName = useOwnName()
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
              label={ownName(node)}
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
      const versions = before.map(({ version }) => version)
      const { data } = await staffNodesChange({
        body: { ids, versions, ...change },
        throwOnError: true,
      })
      onDone({ rows: data.results, before, change })
    },
    done: (nodes) => t('several.done', { count: nodes.length }),
  }
}

/** The former values of what was changed. */
const formerOf = (node: StaffNode, change: Change): Change =>
  Object.fromEntries(Object.keys(change).map((key) => [key, node[key as keyof Change]]))

/** Those rows that can be taken back, in groups that were alike before, with what they were. */
function undoable({ rows, before, change }: Done) {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const node = before.find(({ id }) => id === row.id)
    if (!node || !row.changed || row.undo) continue
    const former = JSON.stringify(formerOf(node, change))
    groups.set(former, [...(groups.get(former) ?? []), row])
  }
  return [...groups].map(([former, group]) => ({ former: JSON.parse(former) as Change, group }))
}

/** Takes a change of several nodes back, but for those that somebody changed since. Each group is noted as it is done. */
function useUndo(done: Done, onChange: (done: Done | undefined) => void) {
  const { t } = useTranslation('console/node')
  const { t: common } = useTranslation()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const takeBack = async () => {
    let { rows } = done
    for (const { former, group } of undoable(done)) {
      const ids = group.map(({ id }) => id)
      const versions = group.map(({ version }) => version)
      const { data } = await staffNodesChange({
        body: { ids, versions, ...former },
        throwOnError: true,
      })
      const results = new Map(data.results.map((row) => [row.id, row]))
      rows = rows.map((row): Row => {
        const result = results.get(row.id)
        if (!result) return row
        return { ...row, undo: result.changed ? 'undone' : 'kept', problem: result.problem }
      })
      onChange({ ...done, rows })
    }
    const kept = rows.filter(({ undo }) => undo === 'kept').length
    if (kept > 0) return toast('error', t('several.kept', { count: kept }))
    onChange(undefined)
    return toast('success', t('several.undone'))
  }
  const undo = async () => {
    setBusy(true)
    try {
      await takeBack()
    } catch (error) {
      await toast('error', problemText(error, common))
    }
    await client.invalidateQueries({ queryKey: ['console'] })
    setBusy(false)
  }
  return { undo: () => void undo(), isBusy }
}

function RowState({ changed, undo }: Row) {
  const { t } = useTranslation('console/node')
  const isWell = changed && undo !== 'kept'
  const text = undo ?? (changed ? 'changed' : 'refused')
  return <StatusDot tone={isWell ? 'success' : 'error'}>{t(`several.is.${text}`)}</StatusDot>
}

function Results(props: { done: Done; onChange: (done: Done | undefined) => void }) {
  const { t } = useTranslation('console/node')
  const { done } = props
  const { undo, isBusy } = useUndo(done, props.onChange)
  const names = new Map(done.before.map(({ id, name }) => [id, name]))
  return (
    <Section title={t('several.results')}>
      <Items>
        {done.rows.map((row) => (
          <Item
            key={row.id}
            name={names.get(row.id) ?? `#${row.id}`}
            state={<RowState {...row} />}
            about={row.problem}
          />
        ))}
      </Items>
      {undoable(done).length > 0 && (
        <Group mt="md" justify="space-between">
          <Text size="sm" c="dimmed">
            {t('several.undoAbout')}
          </Text>
          <Button variant="default" size="sm" loading={isBusy} onClick={undo}>
            {t('several.undo')}
          </Button>
        </Group>
      )}
    </Section>
  )
}
