import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { staffPlanChange } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useEdited } from '../parts/use-edited'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { useOwnName } from '../parts/use-own-name'
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
  requireFound(query)
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
  const ownName = useOwnName()
  const may = useMay()
  return (
    <DetailHeader
      list={{ title: t('plans.title'), link: { to: '/admin/plans' } }}
      title={ownName(plan)}
      state={<PlanState state={plan.state} />}
      about={
        <>
          {`#${plan.id} · ${t('plans.running', { count: plan.running })} `}
          {may('order.edited') && (
            <TextLink to="/admin/orders" search={{ plan: plan.id } as never} underline="hover">
              {t('plans.orders')}
            </TextLink>
          )}
        </>
      }
      menu={<ActionMenu subject={plan} name={ownName(plan)} actions={usePlanActions()} />}
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
  const leave = useLeave()
  const language = useLanguage()
  const ownName = useOwnName()
  const { edited, reload } = useEdited(plan, planOf(String(plan.id)), valuesOf)
  const sections = usePlanSections(edited.kind, edited)
  const save = (values: FormValues, changed: readonly string[]) =>
    staffPlanChange({
      path: { plan_id: edited.id },
      headers: { 'If-Match': `"${edited.version}"` },
      body: changeOf(values, changed),
      throwOnError: true,
    })
  const preview = (values: FormValues) => (
    <LatePreview plan={previewOf(edited.kind, values, language, edited)} />
  )
  return (
    <ResourceForm
      draftKey={`plan:${edited.id}`}
      initial={valuesOf(edited)}
      sections={sections}
      submit={t('plans.save')}
      confirm={(_, changed) =>
        changed.some((name) => name.startsWith('price_'))
          ? t('plans.priceEffect', {
              name: ownName(edited),
              count: renewalsAffected(edited, changed),
            })
          : undefined
      }
      save={save}
      reload={reload}
      onSaved={() => leave({ to: '/admin/plans' }, t('plans.saved', { name: ownName(edited) }))}
      aside={preview}
    />
  )
}
