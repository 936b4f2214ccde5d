import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PreOrderResult as Quote } from '@/api/gen/types.gen'
import { ApiError } from '@/api/errors'
import { formatMoney } from '@/shared/lib/money'
import { formatDate } from '@/shared/lib/time'
import { ButtonLink } from '@/shared/ui/button-link'
import { Confirm } from '@/shared/ui/confirm'

/** Asks before a change of plan ends the service that runs; what stands in the way of it is said where it was asked. */
export function ConfirmChange(props: {
  quote: Quote
  onConfirm: () => Promise<unknown>
  onClose: () => void
}) {
  const { t, i18n } = useTranslation('shop')
  const { quote } = props
  const show = (amount: string) => formatMoney(amount, quote.currency, i18n.language)
  const wayOn = (problem: unknown) => {
    if (!(problem instanceof ApiError) || problem.isPassing) return undefined
    if (problem.code === 'service_ended') {
      return <ButtonLink to="/user/services">{t('old.mine')}</ButtonLink>
    }
    return <Button onClick={props.onClose}>{t('change.look')}</Button>
  }
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
      onConfirm={props.onConfirm}
      wayOn={wayOn}
      onClose={props.onClose}
    />
  )
}
