import { Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffPlanChange } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { toast } from '@/ui/toast'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { usePlanActions } from './plan-actions'
import { usePlanSections } from './plan-form'
import { LatePreview } from './late-preview'
import { PlanState } from './plan-state'
import { changeOf, previewOf, renewalsAffected, valuesOf } from './plan-values'
import { planOf } from './resource'
import { useLanguage } from './use-language'

const route = getRouteApi('/admin/plans/$id')

/** One plan or package: its texts, prices and limits, and how customers see it. */
export function PlanPage() {
  const { t } = useTranslation('console/shop')
  const { id } = route.useParams()
  const query = useQuery(planOf(id))
  return (
    <div data-wide>
      {query.data ? <Header plan={query.data} /> : <PageHeader title={t('plans.one')} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(plan) => <Plan key={id} plan={plan} />}
      </Loaded>
    </div>
  )
}

function Header({ plan }: { plan: StaffPlan }) {
  const { t } = useTranslation('console/shop')
  const may = useMay()
  return (
    <DetailHeader
      list={{ title: t('plans.title'), link: { to: '/admin/plans' } }}
      title={plan.name}
      state={<PlanState state={plan.state} />}
      about={
        <>
          {`#${plan.id} · ${t('plans.running', { count: plan.running })} `}
          {may('order.read') && (
            <TextLink to="/admin/orders" search={{ plan: plan.id } as never} underline="hover">
              {t('plans.orders')}
            </TextLink>
          )}
        </>
      }
      menu={<ActionMenu subject={plan} name={plan.name} actions={usePlanActions()} />}
    />
  )
}

function Plan({ plan }: { plan: StaffPlan }) {
  const { t } = useTranslation('console/shop')
  const may = useMay()
  const language = useLanguage()
  if (may('plan.write') && plan.state !== 'archived') return <Edit plan={plan} />
  return (
    <>
      {plan.state === 'archived' && <Text mb="md">{t('plans.archivedAbout')}</Text>}
      <LatePreview plan={previewOf(plan.kind, valuesOf(plan), language, plan)} />
    </>
  )
}

function Edit({ plan }: { plan: StaffPlan }) {
  const { t } = useTranslation('console/shop')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const language = useLanguage()
  // Of what the form shows, whatever is read meanwhile.
  const [read, setRead] = useState(plan)
  const sections = usePlanSections(read.kind, read)
  const save = (values: FormValues, changed: readonly string[]) =>
    staffPlanChange({
      path: { plan_id: read.id },
      headers: { 'If-Match': `"${read.version}"` },
      body: changeOf(values, changed),
      throwOnError: true,
    })
  const reload = async () => {
    const present = await queryClient.fetchQuery({ ...planOf(String(read.id)), staleTime: 0 })
    setRead(present)
    return valuesOf(present)
  }
  const preview = (values: FormValues) => (
    <LatePreview plan={previewOf(read.kind, values, language, read)} />
  )
  return (
    <ResourceForm
      draftKey={`plan:${read.id}`}
      initial={valuesOf(read)}
      sections={sections}
      submit={t('plans.save')}
      confirm={(_, changed) =>
        changed.some((name) => name.startsWith('price_'))
          ? t('plans.priceEffect', { name: read.name, count: renewalsAffected(read, changed) })
          : undefined
      }
      save={save}
      reload={reload}
      onSaved={() => {
        void toast('success', t('plans.saved', { name: read.name }))
        void navigate({ to: '/admin/plans' })
      }}
      aside={preview}
    />
  )
}
