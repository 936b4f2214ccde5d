import { useTranslation } from 'react-i18next'
import type { GatewayChargeNow, PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { formatMoney, toMinor } from '@/lib/money'

/** The label of the button: the amount, its source, and the new plan if a service ends for it. */
export function usePayLabel(
  quote: Quote,
  charge: GatewayChargeNow | undefined,
  isWithoutCoupon: boolean,
): string {
  const { t } = useTranslation('shop')
  const pay = usePay(quote, charge)
  const action = isWithoutCoupon ? t('summary.withoutCoupon', { action: pay }) : pay
  return quote.replaces ? t('change.submit', { name: quote.name, action }) : action
}

function usePay(quote: Quote, charge: GatewayChargeNow | undefined): string {
  const { t, i18n } = useTranslation('shop')
  const show = (amount: string, currency: string) => formatMoney(amount, currency, i18n.language)
  if (charge) return t('summary.pay', { amount: show(charge.pay_amount, charge.pay_currency) })
  if (toMinor(quote.missing) > 0) {
    return t('summary.pay', { amount: show(quote.recharge_amount, quote.currency) })
  }
  if (toMinor(quote.amount) === 0) return t('summary.payNothing')
  return t('summary.payFromBalance', { amount: show(quote.amount, quote.currency) })
}
