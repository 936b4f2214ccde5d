import { SegmentedControl, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffPlanMake } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { DetailHeader } from '../parts/detail-header'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useLeave } from '../parts/use-leave'
import { usePlanSections } from './plan-form'
import { LatePreview } from './late-preview'
import { blank, bodyOf, type Kind, previewOf, valuesOf } from './plan-values'
import { planOf } from './resource'
import { useLanguage } from './use-language'

const route = getRouteApi('/admin/plans/new')

/** A new plan or package, blank or with what another one has. */
export function NewPlanPage() {
  const { t } = useTranslation('console/shop')
  const { copy } = route.useSearch()
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: t('plans.title'), link: { to: '/admin/plans' } }}
        title={t('plans.new')}
      />
      {copy === undefined ? <Blank /> : <Copy id={String(copy)} />}
    </div>
  )
}

function Copy({ id }: { id: string }) {
  const query = useQuery(planOf(id))
  return (
    <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
      {(plan) => <Form key={id} kind={plan.kind} copied={plan} />}
    </Loaded>
  )
}

function Blank() {
  const { t } = useTranslation('console/shop')
  const [kind, setKind] = useState<Kind>('plan')
  return (
    <>
      <SegmentedControl
        mb="md"
        withItemsBorders={false}
        aria-label={t('column.kind')}
        value={kind}
        onChange={(value) => setKind(value === 'package' ? 'package' : 'plan')}
        data={(['plan', 'package'] as const).map((value) => ({
          value,
          label: t(`kind.${value}`),
        }))}
      />
      <Form key={kind} kind={kind} />
    </>
  )
}

function Form({ kind, copied }: { kind: Kind; copied?: StaffPlan }) {
  const { t } = useTranslation('console/shop')
  const leave = useLeave()
  const language = useLanguage()
  const sections = usePlanSections(kind, copied)
  const preview = (values: FormValues) => <LatePreview plan={previewOf(kind, values, language)} />
  return (
    <ResourceForm
      draftKey={`plan:new:${copied?.id ?? kind}`}
      initial={
        copied
          ? { ...valuesOf(copied), name: t('plans.copyOf', { name: copied.name }) }
          : blank(kind)
      }
      isNew
      sections={sections}
      submit={t('plans.make')}
      save={(values) => staffPlanMake({ body: bodyOf(kind, values), throwOnError: true })}
      onSaved={() => leave({ to: '/admin/plans' }, t('plans.made'))}
      aside={preview}
    />
  )
}
