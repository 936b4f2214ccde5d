import { Button, Card, Checkbox, Skeleton, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/api/errors'
import type {
  GatewayChargeNow,
  OrderItem as Order,
  PreOrderResult as Quote,
} from '@/api/gen/types.gen'
import { formatMoney, toMinor } from '@/shared/lib/money'
import { problemText } from '@/shared/lib/server-problem'
import { FormError } from '@/shared/ui/form-error'
import { GatewayChoice } from '@/shared/ui/gateway-choice'
import { Loaded } from '@/shared/ui/loaded'
import page from '../buy-page.module.css'
import type { Purchase } from '../quote'
import { CouponField } from './coupon-field'
import { Lines } from './lines'
import classes from './summary.module.css'
import { useConfirm } from './use-confirm'
import { useQuote } from './use-quote'

/** What the choice costs, what the balance pays of it, what is missing, and the button that says the amount. */
export function Summary(props: {
  name: string
  purchase: Purchase
  autoRenew?: boolean | undefined
  coupon: string | undefined
  onCoupon: (code: string | undefined) => void
  onBought: (order: Order) => void
}) {
  const { t } = useTranslation('shop')
  const { query, purchase, ...coupon } = useQuote(props.purchase, props.coupon)
  const refusal =
    query.error instanceof ApiError && !query.error.isPassing ? query.error : undefined
  return (
    <Card component="section" aria-labelledby="summary-title" className={page.aside}>
      <Title order={2} size="h3" id="summary-title" mb="md">
        {t('summary.title')}
      </Title>
      {refusal ? (
        <FormError message={refusal.message} />
      ) : (
        <Loaded query={query} skeleton={<SummarySkeleton />}>
          {(quote) => (
            <Bill
              key={purchase.shopId}
              name={props.name}
              purchase={purchase}
              quote={quote}
              autoRenew={props.autoRenew ?? false}
              isChecking={coupon.isChecking}
              onBought={props.onBought}
            >
              <CouponField {...coupon} onCoupon={props.onCoupon} />
            </Bill>
          )}
        </Loaded>
      )}
    </Card>
  )
}

function Bill(props: {
  name: string
  purchase: Purchase
  quote: Quote
  autoRenew: boolean
  isChecking: boolean
  onBought: (order: Order) => void
  children: React.ReactNode
}) {
  const { t } = useTranslation('shop')
  const { t: common } = useTranslation()
  const { quote } = props
  const isService = quote.kind === 'plan'
  const [autoRenew, setAutoRenew] = useState(props.autoRenew)
  const { confirm, gateways, isMissing, problem, isPending } = useConfirm(
    props.purchase,
    quote,
    isService && autoRenew,
    props.onBought,
  )
  const charge = isMissing ? gateways.charge : undefined
  return (
    <>
      <Lines name={props.name} quote={quote} charge={charge} />
      {props.children}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          confirm()
        }}
      >
        {isService && (
          <Checkbox
            mt="md"
            label={t('summary.autoRenew')}
            checked={autoRenew}
            onChange={(event) => setAutoRenew(event.currentTarget.checked)}
          />
        )}
        {isMissing && <GatewayChoice {...gateways} />}
        <div className={classes.problem}>
          <FormError message={problem ? problemText(problem, common) : undefined} />
        </div>
        <Button
          type="submit"
          fullWidth
          mt="md"
          loading={isPending}
          disabled={props.isChecking || (isMissing && !gateways.chosen)}
        >
          <Action quote={quote} charge={charge} />
        </Button>
        {toMinor(quote.amount) > 0 && (
          <p className={classes.note}>{isMissing ? t('summary.noteMissing') : t('summary.note')}</p>
        )}
      </form>
    </>
  )
}

/** What the button says: the amount, and where it comes from. */
function Action({ quote, charge }: { quote: Quote; charge: GatewayChargeNow | undefined }) {
  const { t, i18n } = useTranslation('shop')
  const show = (amount: string, currency: string) => formatMoney(amount, currency, i18n.language)
  if (charge) return t('summary.pay', { amount: show(charge.pay_amount, charge.pay_currency) })
  if (toMinor(quote.missing) > 0) {
    return t('summary.pay', { amount: show(quote.recharge_amount, quote.currency) })
  }
  if (toMinor(quote.amount) === 0) return t('summary.payNothing')
  return t('summary.payFromBalance', { amount: show(quote.amount, quote.currency) })
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
