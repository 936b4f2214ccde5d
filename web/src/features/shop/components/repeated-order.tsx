import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { formatMoney, toMinor } from '@/lib/money'
import { Notice } from '@/ui/notice'
import classes from './summary.module.css'

/** Says that this is the order whose payment came to nothing, once more, and points out when it costs more now. */
export function RepeatedOrder({
  previousOrder,
  quote,
}: {
  previousOrder: Order | undefined
  quote: Quote
}) {
  const { t, i18n } = useTranslation('shop')
  const isSame = previousOrder?.plan_id === quote.plan_id && previousOrder.months === quote.months
  if (!previousOrder || !isSame) return null
  if (toMinor(quote.amount) <= toMinor(previousOrder.amount)) {
    return <p className={classes.note}>{t('summary.again')}</p>
  }
  const show = (amount: string) => formatMoney(amount, quote.currency, i18n.language)
  return (
    <div className={classes.problem}>
      <Notice tone="error">
        {t('summary.otherPrice', { before: show(previousOrder.amount), now: show(quote.amount) })}
      </Notice>
    </div>
  )
}
