import { useTranslation } from 'react-i18next'
import { useCurrency } from '@/lib/currency'
import { formatMoney } from '@/lib/money'

/** An amount for a sentence, as `Money` shows it elsewhere; in the site's currency where none is given. */
export function useMoneyText(): (amount: string, currency?: string) => string {
  const { i18n } = useTranslation()
  const own = useCurrency()
  return (amount, currency = own) => formatMoney(amount, currency, i18n.language)
}
