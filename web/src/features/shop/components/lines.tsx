import { useTranslation } from 'react-i18next'
import type { GatewayChargeNow, PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { toAmount, toMinor } from '@/lib/money'
import { Fact } from '@/ui/fact'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import classes from './summary.module.css'

/** The bill: price, discounts, the part that the balance pays, and the remaining amount. */
export function Lines(props: { name: string; quote: Quote; charge: GatewayChargeNow | undefined }) {
  const { t } = useTranslation('shop')
  const { quote, charge } = props
  const { currency } = quote
  const isMissing = toMinor(quote.missing) > 0
  const line = (name: string, amount: string) =>
    toMinor(amount) === 0 ? null : <Line name={name} amount={amount} currency={currency} />
  return (
    <dl className={classes.lines}>
      <Line name={props.name} amount={quote.price} currency={currency} />
      {line(t('summary.discount'), minus(quote.discount))}
      {line(t('summary.credit', { name: quote.replaces?.name }), minus(quote.credit))}
      {line(t('summary.change'), quote.change)}
      {line(t('summary.kept'), quote.kept)}
      {quote.ends_at && (
        <Fact name={t('summary.until')}>
          <Moment time={quote.ends_at} withYear isEnd />
        </Fact>
      )}
      {isMissing && line(t('summary.fromBalance'), minus(quote.balance_used))}
      {charge && line(t('summary.more'), difference(charge.amount, quote.missing))}
      {charge && line(t('summary.fee'), charge.fee)}
      <Fact className={classes.due} name={isMissing ? t('summary.due') : t('summary.total')}>
        <Due quote={quote} charge={charge} />
      </Fact>
      {!isMissing && (
        <Line
          name={t('summary.balanceAfter')}
          amount={difference(
            toAmount(toMinor(quote.balance) + toMinor(quote.change)),
            quote.amount,
          )}
          currency={currency}
        />
      )}
    </dl>
  )
}

/** The amount due. When money is missing the gateway states it, possibly in another currency. */
function Due({ quote, charge }: { quote: Quote; charge: GatewayChargeNow | undefined }) {
  if (charge) {
    return <Money amount={charge.pay_amount} currency={charge.pay_currency} size="figure" />
  }
  const isMissing = toMinor(quote.missing) > 0
  return (
    <Money
      amount={isMissing ? quote.recharge_amount : quote.amount}
      currency={quote.currency}
      size="figure"
    />
  )
}

function Line({ name, amount, currency }: { name: string; amount: string; currency: string }) {
  return (
    <Fact name={name}>
      <Money amount={amount} currency={currency} />
    </Fact>
  )
}

const difference = (from: string, less: string) => toAmount(toMinor(from) - toMinor(less))

const minus = (amount: string) => difference('0', amount)
