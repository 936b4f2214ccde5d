import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ArchiveX, ListPlus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffHeldBatchCount, staffHeldBatchDismiss } from '@/lib/api/gen/staff/sdk.gen'
import type { HeldBatch } from '@/lib/api/gen/staff/types.gen'
import { Bytes } from '@/ui/bytes'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import type { Action } from '../parts/action'
import { ActionMenu } from '../parts/action-runner'
import { Item, Items, Section } from '../parts/section'
import { heldBatchesOf } from './resource'

/** Reports of a node that were refused for their time: staff counts or dismisses each. */
export function NodeBatches({ id, rate }: { id: string; rate: string }) {
  const { t } = useTranslation('console/node')
  const query = useQuery(heldBatchesOf(id))
  const actions = [useCount(id, rate), useDismissal(id)]
  return (
    <Section title={t('tab.batches')}>
      <Text size="sm" c="dimmed" mb="md">
        {t('batches.about')}
      </Text>
      <Loaded query={query} skeleton={<Skeleton height={120} />}>
        {(batches) => (
          <Items empty={t('batches.none')}>
            {batches.map((batch) => (
              <Item
                key={batch.id}
                name={
                  <>
                    #{batch.id} <Moment time={batch.from_at} withTime /> –{' '}
                    <Moment time={batch.to_at} withTime />
                  </>
                }
                state={
                  batch.state === 'waiting' ? (
                    <ActionMenu subject={batch} name={`#${batch.id}`} actions={actions} isRow />
                  ) : (
                    t(`batches.${batch.state}`)
                  )
                }
                about={
                  <>
                    {t(`batches.${batch.reason}`)} · {t('batches.rows', { count: batch.rows })} ·{' '}
                    <Bytes bytes={batch.up_bytes + batch.down_bytes} />
                    {batch.note && ` · ${batch.note}`}
                  </>
                }
              />
            ))}
          </Items>
        )}
      </Loaded>
    </Section>
  )
}

const ofBatch = { permission: 'traffic.batch.decide', danger: 'R' } as const

function useReason() {
  const { t } = useTranslation('console/parts')
  return {
    name: 'reason',
    label: t('action.reason'),
    kind: 'textarea',
    isRequired: true,
    rules: { maxLength: 200 },
  } as const
}

function useCount(node: string, rate: string): Action<HeldBatch> {
  const { t } = useTranslation('console/node')
  const reason = useReason()
  return {
    ...ofBatch,
    key: 'count',
    icon: ListPlus,
    title: t('batches.count'),
    fields: () => [
      {
        name: 'rate',
        label: t('column.rate'),
        kind: 'text',
        initial: rate,
        isRequired: true,
        rules: { pattern: /^\d{1,3}(\.\d{1,3})?$/ },
      },
      {
        name: 'cycle',
        label: t('batches.cycle'),
        kind: 'choice',
        initial: 'own',
        options: (['own', 'current'] as const).map((value) => ({
          value,
          label: t(`batches.${value}`),
        })),
      },
      reason,
    ],
    effect: ({ rows: count }) => t('batches.countEffect', { count }),
    run: ({ id }, values) =>
      staffHeldBatchCount({
        path: { node_id: Number(node), batch_id: id },
        body: {
          rate: String(values.rate),
          cycle: values.cycle === 'current' ? 'current' : 'own',
          note: String(values.reason),
        },
        throwOnError: true,
      }),
    done: ({ id }) => t('batches.countDone', { id }),
  }
}

function useDismissal(node: string): Action<HeldBatch> {
  const { t } = useTranslation('console/node')
  const reason = useReason()
  return {
    ...ofBatch,
    key: 'dismiss',
    icon: ArchiveX,
    title: t('batches.dismiss'),
    fields: () => [reason],
    effect: ({ id }) => t('batches.dismissEffect', { id }),
    run: ({ id }, values) =>
      staffHeldBatchDismiss({
        path: { node_id: Number(node), batch_id: id },
        body: { note: String(values.reason) },
        throwOnError: true,
      }),
    done: ({ id }) => t('batches.dismissDone', { id }),
  }
}
