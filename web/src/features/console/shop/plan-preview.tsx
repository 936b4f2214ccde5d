import { Card, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PlanItem } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import classes from './shop.module.css'

// The customers' pages bring their cards: a chunk that both share would be one more request of each shop page.
// oxlint-disable-next-line no-restricted-imports -- by itself, and nothing but its cards
const shop = () => import('@/features/shop/pages')
const PackageCard = lazyPart(
  () => shop().then(({ PackageCard: one }) => ({ PackageCard: one })),
  'PackageCard',
)
const PlanCard = lazyPart(() => shop().then(({ PlanCard: one }) => ({ PlanCard: one })), 'PlanCard')

const nothing = () => {}

/** A plan as the shop shows it to customers. */
export function PlanPreview({ plan }: { plan: PlanItem }) {
  const { t } = useTranslation('console/shop')
  const [chosen, setChosen] = useState<number>()
  const periods = plan.prices.map(({ months }) => months)
  const months = chosen !== undefined && periods.includes(chosen) ? chosen : (periods[0] ?? 1)
  const obstacle = plan.stock === 0 ? ('soldOut' as const) : undefined
  return (
    <Card component="section" aria-label={t('preview')}>
      <Text size="sm" c="dimmed" mb="xs">
        {t('preview')}
      </Text>
      {plan.kind === 'plan' && periods.length > 1 && (
        <SegmentedControl
          fullWidth
          size="xs"
          mb="sm"
          aria-label={t('previewPeriod')}
          value={String(months)}
          onChange={(value) => setChosen(Number(value))}
          data={periods.map((one) => ({
            value: String(one),
            label: t('months', { count: one }),
          }))}
        />
      )}
      <div className={classes.preview}>
        {plan.kind === 'plan' ? (
          <PlanCard
            plan={plan}
            months={months}
            traits={[
              ...(plan.class_name ? (['class_name'] as const) : []),
              'speed_mbps',
              'devices',
              'reset',
            ]}
            obstacle={obstacle}
            isChosen={false}
            onChoose={nothing}
          />
        ) : (
          <PackageCard item={plan} obstacle={obstacle} isChosen={false} onChoose={nothing} />
        )}
      </div>
    </Card>
  )
}
