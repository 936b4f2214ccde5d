import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { ApiError } from '@/lib/api/errors'
import { formatMoney } from '@/lib/money'
import { formatFullDate, lastMoment } from '@/lib/time'
import { ButtonLink } from '@/ui/button-link'
import { Confirm } from '@/ui/confirm'
import { type Change, ChangeCompare } from './change-compare'

/** Asks for confirmation before a change of plan ends the running service. A refusal is shown in the dialog. */
export function ConfirmChange(props: {
  quote: Quote
  /** Shown in the dialog too: on a phone the page's own comparison is out of sight. */
  change: Change | undefined
  onConfirm: () => Promise<unknown>
  onClose: () => void
}) {
  const { t, i18n } = useTranslation('shop')
  const { quote } = props
  const show = (amount: string) => formatMoney(amount, quote.currency, i18n.language)
  const alternative = (problem: unknown) => {
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
        until:
          quote.ends_at === null ? '' : formatFullDate(lastMoment(quote.ends_at), i18n.language),
      })}
      details={props.change && <ChangeCompare {...props.change} until={quote.ends_at} />}
      action={t('mode.change.title')}
      onConfirm={props.onConfirm}
      alternative={alternative}
      onClose={props.onClose}
    />
  )
}
