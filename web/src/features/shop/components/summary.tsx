import { Button, Card, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PreOrderResult as Quote } from '@/api/gen/types.gen'
import { problemText } from '@/shared/lib/server-problem'
import { formatMoney, toAmount, toMinor } from '@/shared/lib/money'
import { FormError } from '@/shared/ui/form-error'
import { GatewayChoice } from '@/shared/ui/gateway-choice'
import { Loaded } from '@/shared/ui/loaded'
import { Money } from '@/shared/ui/money'
import page from '../buy-page.module.css'
import { type Purchase, quoteOptions } from '../quote'
import classes from './summary.module.css'
import { useConfirm } from './use-confirm'

/** What the choice costs, what the balance pays of it, what is missing, and the button that says the amount. */
export function Summary(props: {
  name: string
  purchase: Purchase
  onBought: (order: Order) => void
}) {
  const { t } = useTranslation('shop')
  const quote = useQuery(quoteOptions(props.purchase))
  return (
    <Card component="section" aria-labelledby="summary-title" className={page.aside}>
      <Title order={2} size="h3" id="summary-title" mb="md">
        {t('summary.title')}
      </Title>
      <Loaded query={quote} skeleton={<SummarySkeleton />}>
        {(found) => <Bill key={props.purchase.shopId} {...props} quote={found} />}
      </Loaded>
    </Card>
  )
}

function Bill(props: {
  name: string
  purchase: Purchase
  quote: Quote
  onBought: (order: Order) => void
}) {
  const { t, i18n } = useTranslation('shop')
  const { t: common } = useTranslation()
  const { quote } = props
  const { currency } = quote
  const isMissing = toMinor(quote.missing) > 0
  const { confirm, gateways, problem, isPending } = useConfirm(props.purchase, props.onBought)
  const amount = formatMoney(
    isMissing ? quote.recharge_amount : quote.amount,
    currency,
    i18n.language,
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        confirm(isMissing)
      }}
    >
      <Lines name={props.name} quote={quote} />
      {isMissing && <GatewayChoice {...gateways} />}
      <FormError message={problem ? problemText(problem, common) : undefined} />
      <Button
        type="submit"
        fullWidth
        mt="md"
        loading={isPending}
        disabled={isMissing && !gateways.chosen}
      >
        {isMissing ? t('summary.pay', { amount }) : t('summary.payFromBalance', { amount })}
      </Button>
      <p className={classes.note}>{isMissing ? t('summary.noteMissing') : t('summary.note')}</p>
    </form>
  )
}

function Lines({ name, quote }: { name: string; quote: Quote }) {
  const { t } = useTranslation('shop')
  const { currency } = quote
  const isMissing = toMinor(quote.missing) > 0
  return (
    <dl className={classes.lines}>
      <Line name={name} amount={quote.amount} currency={currency} />
      {isMissing && toMinor(quote.balance_used) > 0 && (
        <Line
          name={t('summary.fromBalance')}
          amount={`-${quote.balance_used}`}
          currency={currency}
        />
      )}
      <div className={classes.due}>
        <dt>{isMissing ? t('summary.due') : t('summary.total')}</dt>
        <dd>
          <Money
            amount={isMissing ? quote.recharge_amount : quote.amount}
            currency={currency}
            size="figure"
          />
        </dd>
      </div>
      {!isMissing && (
        <Line
          name={t('summary.balanceAfter')}
          amount={toAmount(toMinor(quote.balance) - toMinor(quote.amount))}
          currency={currency}
        />
      )}
    </dl>
  )
}

function Line({ name, amount, currency }: { name: string; amount: string; currency: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Money amount={amount} currency={currency} />
      </dd>
    </div>
  )
}

function SummarySkeleton() {
  return (
    <>
      <Skeleton height={22} />
      <Skeleton height={22} mt={12} />
      <Skeleton height={40} mt={24} />
      <Skeleton height={42} mt={24} />
    </>
  )
}
