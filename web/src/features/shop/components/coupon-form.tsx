import { Button, TextInput } from '@mantine/core'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { shopPreOrderRules } from '@/lib/api/gen/rules.gen'
import type { CouponProps } from './coupon-field'
import classes from './summary.module.css'

/** Takes a coupon and shows at once what is wrong with it. The bill shows the discount. */
export function CouponForm(props: CouponProps) {
  const { t } = useTranslation('shop')
  const form = useForm({ defaultValues: { coupon: props.coupon ?? '' } })
  const typed = useWatch({ control: form.control, name: 'coupon' }).trim()
  const isUsed = props.coupon !== undefined && typed === props.coupon && !props.couponProblem
  const submit = form.handleSubmit(() => {
    if (isUsed) {
      form.setValue('coupon', '')
      form.setFocus('coupon') // the button, which has nothing to apply now, would lose the focus
    }
    if (!isUsed && typed === props.coupon) props.checkAgain()
    else props.onCoupon(isUsed ? undefined : typed || undefined)
  })
  return (
    <form className={classes.coupon} onSubmit={(event) => void submit(event)}>
      <TextInput
        autoFocus={props.coupon === undefined}
        label={t('coupon.label')}
        size="sm"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={shopPreOrderRules.coupon.maxLength}
        error={props.couponProblem}
        {...form.register('coupon')}
      />
      <Button
        type="submit"
        size="sm"
        variant="default"
        loading={props.isChecking}
        disabled={typed === ''}
      >
        {isUsed && !props.isChecking ? t('coupon.remove') : t('coupon.apply')}
      </Button>
    </form>
  )
}
