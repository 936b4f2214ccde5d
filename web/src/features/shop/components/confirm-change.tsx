import { useTranslation } from 'react-i18next'
import type { PreOrderResult as Quote } from '@/api/gen/types.gen'
import { formatMoney } from '@/shared/lib/money'
import { formatDate } from '@/shared/lib/time'
import { Confirm } from '@/shared/ui/confirm'

/** Asks before a change of plan ends the service that runs. */
export function ConfirmChange(props: { quote: Quote; onConfirm: () => void; onClose: () => void }) {
  const { t, i18n } = useTranslation('shop')
  const { quote } = props
  const show = (amount: string) => formatMoney(amount, quote.currency, i18n.language)
  return (
    <Confirm
      opened
      title={t('change.title')}
      consequence={t('change.consequence', {
        from: quote.replaces?.name,
        to: quote.name,
        credit: show(quote.credit),
        amount: show(quote.amount),
        until: quote.ends_at === null ? '' : formatDate(quote.ends_at, i18n.language),
      })}
      action={t('mode.change.title')}
      onConfirm={() => {
        props.onConfirm()
        return Promise.resolve()
      }}
      onClose={props.onClose}
    />
  )
}
