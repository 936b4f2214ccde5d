import { Checkbox } from '@mantine/core'
import { type ReactNode, Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OrderItem as Order, PreOrderResult as Quote } from '@/lib/api/gen/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { toMinor } from '@/lib/money'
import { problemText } from '@/lib/server-problem'
import { UnlessBanned } from '@/ui/ban-notice'
import { FormError } from '@/ui/form-error'
import { GatewayChoice } from '@/ui/gateway-choice'
import type { Purchase } from '../quote'
import type { Change } from './change-compare'
import { Lines } from './lines'
import { OtherPrice } from './other-price'
import { PayButton } from './pay-button'
import classes from './summary.module.css'
import { useAction } from './use-action'
import { useConfirm } from './use-confirm'
import { couponProblem } from './use-quote'

const ConfirmChange = lazyPart(() => import('./confirm-change'), 'ConfirmChange')

/** The bill of a quote and the button that buys; a change of plan, which ends a service that runs, is asked about once. */
export function Bill(props: {
  name: string
  purchase: Purchase
  quote: Quote
  autoRenew: boolean
  before: Order | undefined
  change: Change | undefined
  isChecking: boolean
  /** Whether a coupon was asked for that does not count. */
  isWithoutCoupon: boolean
  onBought: (orderNo: number) => Promise<void>
  children: ReactNode
}) {
  const { quote } = props
  const form = useId()
  const isService = quote.kind === 'plan'
  const [autoRenew, setAutoRenew] = useState(props.autoRenew)
  const [isAsking, setAsking] = useState(false)
  const { confirm, confirmed, lookAgain, gateways, isMissing, problem, isPending } = useConfirm(
    props.purchase,
    quote,
    isService && autoRenew,
    props.onBought,
  )
  const charge = isMissing ? gateways.charge : undefined
  const action = useAction(quote, charge, props.isWithoutCoupon)
  return (
    <>
      <Lines name={props.name} quote={quote} charge={charge} />
      <UnlessBanned>
        {props.children}
        <form
          id={form}
          onSubmit={(event) => {
            event.preventDefault()
            if (quote.replaces) setAsking(true)
            else confirm()
          }}
        >
          {isService && <AutoRenew isOn={autoRenew} onChange={setAutoRenew} />}
          {isMissing && <GatewayChoice {...gateways} />}
          <OtherPrice before={props.before} quote={quote} />
          <Problem problem={problem} isCouponTold={props.isWithoutCoupon} />
          <PayButton
            form={form}
            name={props.name}
            isPending={isPending}
            isDisabled={props.isChecking || (isMissing && !gateways.chosen)}
          >
            {action}
          </PayButton>
          <Note quote={quote} />
        </form>
      </UnlessBanned>
      <Asked {...{ quote, change: props.change, isAsking, setAsking, confirmed, lookAgain }} />
    </>
  )
}

/** The question before a change; what was refused in it is looked at anew when it is closed. */
function Asked(props: {
  quote: Quote
  change: Change | undefined
  isAsking: boolean
  setAsking: (isAsking: boolean) => void
  confirmed: () => Promise<unknown>
  lookAgain: () => void
}) {
  const close = () => {
    props.setAsking(false)
    props.lookAgain()
  }
  return (
    <Suspense>
      {props.isAsking && (
        <ConfirmChange
          quote={props.quote}
          change={props.change}
          onConfirm={props.confirmed}
          onClose={close}
        />
      )}
    </Suspense>
  )
}

/** Why nothing was bought; what is wrong with the coupon only until its field says so. */
function Problem(props: { problem: Error | null; isCouponTold: boolean }) {
  const { t } = useTranslation()
  const { problem } = props
  const ofCoupon = couponProblem(problem)
  const message = ofCoupon ?? (problem ? problemText(problem, t) : undefined)
  return (
    <div className={classes.problem}>
      <FormError message={ofCoupon && props.isCouponTold ? undefined : message} />
    </div>
  )
}

function AutoRenew(props: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { t } = useTranslation('shop')
  return (
    <Checkbox
      mt="md"
      label={t('summary.autoRenew')}
      checked={props.isOn}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  )
}

function Note({ quote }: { quote: Quote }) {
  const { t } = useTranslation('shop')
  if (toMinor(quote.amount) === 0) return null
  return (
    <p className={classes.note}>
      {toMinor(quote.missing) > 0 ? t('summary.noteMissing') : t('summary.note')}
    </p>
  )
}
