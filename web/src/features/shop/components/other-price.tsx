import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { formatMoney, toMinor } from '@/lib/money'
import { Notice } from '@/ui/notice'
import classes from './summary.module.css'

/** Points out that the repeated order costs more now. */
export function OtherPrice({
  previousOrder,
  quote,
}: {
  previousOrder: Order | undefined
  quote: Quote
}) {
  const { t, i18n } = useTranslation('shop')
  const isSame = previousOrder?.plan_id === quote.plan_id && previousOrder.months === quote.months
  if (!previousOrder || !isSame || toMinor(quote.amount) <= toMinor(previousOrder.amount))
    return null
  const show = (amount: string) => formatMoney(amount, quote.currency, i18n.language)
  return (
    <div className={classes.problem}>
      <Notice tone="error">
        {t('summary.otherPrice', { before: show(previousOrder.amount), now: show(quote.amount) })}
      </Notice>
    </div>
  )
}
