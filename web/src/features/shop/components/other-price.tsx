import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { formatMoney, toMinor } from '@/lib/money'
import { Notice } from '@/ui/notice'
import classes from './summary.module.css'

/** Says that what is bought again costs more than when it was ordered. */
export function OtherPrice({ before, quote }: { before: Order | undefined; quote: Quote }) {
  const { t, i18n } = useTranslation('shop')
  const isSame = before?.plan_id === quote.plan_id && before.months === quote.months
  if (!before || !isSame || toMinor(quote.amount) <= toMinor(before.amount)) return null
  const show = (amount: string) => formatMoney(amount, quote.currency, i18n.language)
  return (
    <div className={classes.problem}>
      <Notice tone="error">
        {t('summary.otherPrice', { before: show(before.amount), now: show(quote.amount) })}
      </Notice>
    </div>
  )
}
