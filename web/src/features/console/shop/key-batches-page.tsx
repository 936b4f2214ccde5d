import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { KeyBatch } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { BatchState, batchName, Gift } from './key-batch-parts'
import { useVoidBatch } from './key-actions'
import { keyBatches } from './resource'

/** Batches of keys that give money, plans or traffic. */
export function KeyBatchesPage() {
  const { t } = useTranslation('console/cdkey')
  const may = useMay()
  return (
    <ListPage
      title={t('title')}
      resource={keyBatches}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/cd-keys/$id', params: { id: String(id) } })}
      actions={[useVoidBatch()]}
      nameOf={batchName}
      empty={t('empty')}
      action={
        may('cdkey.make') && (
          <ButtonLink to="/admin/cd-keys/new" leftSection={<Plus size={16} aria-hidden="true" />}>
            {t('new')}
          </ButtonLink>
        )
      }
    />
  )
}

function useColumns(): Column<KeyBatch>[] {
  const { t } = useTranslation('console/cdkey')
  return [
    { key: 'batch', title: t('column.batch'), place: 'title', cell: batchName },
    {
      key: 'gift',
      title: t('column.gift'),
      place: 'fact',
      cell: (batch) => <Gift batch={batch} />,
    },
    {
      key: 'used',
      title: t('column.used'),
      width: '9rem',
      place: 'fact',
      align: 'end',
      cell: ({ used, size, max_uses: uses }) => `${used} / ${size * uses}`,
    },
    {
      key: 'expires',
      title: t('column.expires'),
      width: '12rem',
      cell: ({ expires_at: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '11rem',
      place: 'state',
      cell: (batch) => <BatchState batch={batch} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      width: '12rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
