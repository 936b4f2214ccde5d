import { Group } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffPlansList, staffPlansOrder } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Bytes } from '@/ui/bytes'
import { ButtonLink } from '@/ui/button-link'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { ListPage } from '../parts/list-page'
import { OrderButton } from '../parts/order-button'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { useOwnName } from '../parts/use-own-name'
import { usePlanActions } from './plan-actions'
import { PlanState } from './plan-state'
import { plans } from './resource'

/** What the shop sells. */
export function PlansPage() {
  const { t } = useTranslation('console/shop')
  const ownName = useOwnName()
  const may = useMay()
  const mayWrite = may('plan.write')
  return (
    <ListPage
      title={t('plans.title')}
      about={t('plans.about')}
      resource={plans}
      columns={useColumns(mayWrite)}
      filters={useFilters()}
      link={({ id }) => ({ to: '/admin/plans/$id', params: { id: String(id) } })}
      actions={usePlanActions()}
      nameOf={ownName}
      empty={t('plans.empty')}
      action={mayWrite && <PageActions />}
    />
  )
}

function PageActions() {
  const { t } = useTranslation('console/shop')
  const ownName = useOwnName()
  return (
    <Group gap="xs">
      <OrderButton
        title={t('plans.order')}
        read={async () => {
          const { data } = await staffPlansList({ throwOnError: true })
          return data.map((plan) => ({ id: plan.id, name: ownName(plan) }))
        }}
        save={(ids) => staffPlansOrder({ body: { plans: ids }, throwOnError: true })}
      />
      <ButtonLink to="/admin/plans/new" leftSection={<Plus size={16} aria-hidden="true" />}>
        {t('plans.new')}
      </ButtonLink>
    </Group>
  )
}

function useFilters() {
  const { t } = useTranslation('console/shop')
  return [
    {
      key: 'state',
      title: t('column.state'),
      kind: 'choice' as const,
      isSingle: true,
      options: (['on_sale', 'hidden', 'archived'] as const).map((value) => ({
        value,
        label: t(`planState.${value}`),
      })),
    },
    {
      key: 'kind',
      title: t('column.kind'),
      kind: 'choice' as const,
      isSingle: true,
      options: (['plan', 'package'] as const).map((value) => ({
        value,
        label: t(`kind.${value}`),
      })),
    },
  ]
}

function useColumns(mayWrite: boolean): Column<StaffPlan>[] {
  const { t } = useTranslation('console/shop')
  const ownName = useOwnName()
  const copy = useCopyColumn()
  return [
    { key: 'name', title: t('column.name'), place: 'title', cell: ownName },
    {
      key: 'kind',
      title: t('column.kind'),
      width: '7rem',
      cell: ({ kind }) => t(`kind.${kind}`),
    },
    {
      key: 'prices',
      title: t('column.prices'),
      place: 'fact',
      cell: ({ prices }) => <Prices prices={prices} />,
    },
    {
      key: 'traffic',
      title: t('column.traffic'),
      width: '7rem',
      align: 'end',
      cell: ({ traffic_bytes: bytes }) =>
        bytes === null ? t('unlimited') : <Bytes bytes={bytes} />,
    },
    {
      key: 'running',
      title: t('column.running'),
      width: '7rem',
      place: 'fact',
      align: 'end',
      cell: ({ running }) => running,
    },
    {
      key: 'stock',
      title: t('column.stock'),
      width: '5rem',
      align: 'end',
      cell: ({ stock }) => stock ?? '∞',
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '8rem',
      place: 'state',
      cell: ({ state }) => <PlanState state={state} />,
    },
    ...(mayWrite ? [copy] : []),
  ]
}

function useCopyColumn(): Column<StaffPlan> {
  const { t } = useTranslation('console/shop')
  return {
    key: 'copy',
    title: t('plans.copy'),
    width: '5rem',
    cell: ({ id }) => (
      <TextLink to="/admin/plans/new" search={{ copy: id }} underline="hover">
        {t('plans.copy')}
      </TextLink>
    ),
  }
}

/** "1 month ¥15.00, 12 months ¥150.00" */
function Prices({ prices }: { prices: StaffPlan['prices'] }) {
  const { t } = useTranslation('console/shop')
  const currency = useCurrency()
  return prices.map(({ months, amount }, index) => (
    <span key={months}>
      {index > 0 && ' · '}
      {months > 0 && `${t('months', { count: months })} `}
      <Money amount={amount} currency={currency} />
    </span>
  ))
}
