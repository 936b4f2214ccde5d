import { useTranslation } from 'react-i18next'
import type { StaffPlan } from '@/lib/api/gen/staff/types.gen'
import { StatusDot } from '@/ui/status-dot'

const tones = { on_sale: 'success', hidden: 'warning', archived: 'neutral' } as const

/** Whether a plan is sold. */
export function PlanState({ state }: { state: StaffPlan['state'] }) {
  const { t } = useTranslation('console/shop')
  return <StatusDot tone={tones[state]}>{t(`planState.${state}`)}</StatusDot>
}
