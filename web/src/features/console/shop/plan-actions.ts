import { Archive, ArchiveRestore } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffPlanArchive, staffPlanRestore } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { useOwnName } from '../parts/use-own-name'

/** What may be done with a plan beside changing it. */
export function usePlanActions(): Action<StaffPlan>[] {
  const { t } = useTranslation('console/shop')
  const ownName = useOwnName()
  const call = (run: typeof staffPlanArchive) => (plan: StaffPlan) =>
    run({ path: { plan_id: plan.id }, throwOnError: true })
  return [
    {
      key: 'archive',
      icon: Archive,
      title: t('plans.archive'),
      permission: 'plan.write',
      danger: 'C',
      isShown: ({ state }) => state !== 'archived',
      effect: (plan) => t('plans.archiveEffect', { name: ownName(plan), count: plan.renewing }),
      run: call(staffPlanArchive),
      done: (plan) => t('plans.archived', { name: ownName(plan) }),
    },
    {
      key: 'restore',
      icon: ArchiveRestore,
      title: t('plans.restore'),
      permission: 'plan.write',
      danger: 'U',
      isShown: ({ state }) => state === 'archived',
      effect: ownName,
      run: call(staffPlanRestore),
      undo: call(staffPlanArchive),
      done: (plan) => t('plans.restored', { name: ownName(plan) }),
    },
  ]
}
