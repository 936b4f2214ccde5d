import { SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PlanItem as Plan } from '@/lib/api/gen/types.gen'
import { savingOf } from '../model'
import classes from './period-control.module.css'

/** Selects the period for all plans. Each period shows what it saves with the chosen plan. */
export function PeriodControl(props: {
  plan: Plan | undefined
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
        label: <Period months={months} saving={props.plan ? savingOf(props.plan, months) : 0} />,
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
