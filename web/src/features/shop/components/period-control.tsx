import { SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan } from '@/api/gen/types.gen'
import { bestSaving } from '../model'
import classes from './period-control.module.css'

/** The period for all plans, with what it saves. */
export function PeriodControl(props: {
  plans: readonly Plan[]
  periods: readonly number[]
  months: number
  onChange: (months: number) => void
}) {
  const { t } = useTranslation('shop')
  if (props.periods.length < 2) return null
  return (
    <SegmentedControl
      className={classes.control}
      size="md"
      withItemsBorders={false}
      aria-label={t('period')}
      value={String(props.months)}
      onChange={(months) => props.onChange(Number(months))}
      data={props.periods.map((months) => ({
        value: String(months),
        label: <Period months={months} saving={bestSaving(props.plans, months)} />,
      }))}
    />
  )
}

function Period({ months, saving }: { months: number; saving: number }) {
  const { t } = useTranslation('shop')
  return (
    <span className={classes.period}>
      {t('months', { count: months })}
      {saving > 0 && <span className={classes.saving}>{t('save', { percent: saving })}</span>}
    </span>
  )
}
