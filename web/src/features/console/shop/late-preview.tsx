import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import type { PlanItem } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'

const PlanPreview = lazyPart(() => import('./plan-preview'), 'PlanPreview')

/** The preview, whose card is the customers': it comes after the form. */
export function LatePreview({ plan }: { plan: PlanItem }) {
  return (
    <Suspense fallback={<Skeleton height={320} radius="lg" />}>
      <PlanPreview plan={plan} />
    </Suspense>
  )
}
