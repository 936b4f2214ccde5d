import { Checkbox } from '@mantine/core'
import {
  type ReactNode,
  type SubmitEvent,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
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
import { PayButton } from './pay-button'
import { RepeatedOrder } from './repeated-order'
import classes from './summary.module.css'
import { usePayLabel } from './use-pay-label'
import { useConfirm } from './use-confirm'
import { couponProblem } from './use-quote'

const ConfirmChange = lazyPart(() => import('./confirm-change'), 'ConfirmChange')

/** The bill of a quote with the form that buys. A change of plan needs a confirmation. */
export function Bill(props: {
  name: string
  purchase: Purchase
  quote: Quote
  autoRenew: boolean
  previousOrder: Order | undefined
  change: Change | undefined
  isChecking: boolean
  /** Whether a coupon was entered but refused. */
  isWithoutCoupon: boolean
  onBought: (orderNo: number) => Promise<void>
  children: ReactNode
}) {
  const { quote } = props
  const formId = useId()
  const isService = quote.kind === 'plan'
  const [autoRenew, setAutoRenew] = useState(props.autoRenew)
  const [isDialogOpen, setDialogOpen] = useState(false)
  const { confirm, confirmed, refetchRefused, gateways, isMissing, problem, isPending } =
    useConfirm(props.purchase, quote, isService && autoRenew, props.onBought)
  const charge = isMissing ? gateways.charge : undefined
  const action = usePayLabel(quote, charge, props.isWithoutCoupon)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (quote.replaces) setDialogOpen(true)
    else confirm()
  }
  return (
    <>
      <Lines name={props.name} quote={quote} charge={charge} />
      <UnlessBanned>
        {props.children}
        <form id={formId} onSubmit={submit}>
          {isService && <AutoRenew isOn={autoRenew} onChange={setAutoRenew} />}
          {isMissing && <GatewayChoice {...gateways} />}
          <RepeatedOrder previousOrder={props.previousOrder} quote={quote} />
          <PayButton
            form={formId}
            name={props.name}
            isPending={isPending}
            isDisabled={props.isChecking || (isMissing && !gateways.chosen)}
          >
            {action}
          </PayButton>
          <Note quote={quote} />
          <Problem problem={problem} isCouponShown={props.isWithoutCoupon} />
        </form>
      </UnlessBanned>
      <ChangeDialog
        {...{ quote, change: props.change, isDialogOpen, setDialogOpen, confirmed, refetchRefused }}
      />
    </>
  )
}

function AutoRenew({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { t } = useTranslation('shop')
  return (
    <Checkbox
      mt="md"
      label={t('summary.autoRenew')}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

/** The confirmation of a change of plan. Closing it refetches what a refusal made stale. */
function ChangeDialog(props: {
  quote: Quote
  change: Change | undefined
  isDialogOpen: boolean
  setDialogOpen: (isDialogOpen: boolean) => void
  confirmed: () => Promise<unknown>
  refetchRefused: () => void
}) {
  const close = () => {
    props.setDialogOpen(false)
    props.refetchRefused()
  }
  return (
    <Suspense>
      {props.isDialogOpen && (
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

/**
 * Why the purchase was refused: at the end, where it moves nothing that is in use. A problem of the coupon moves to the
 * coupon's field as soon as that shows it.
 */
function Problem(props: { problem: Error | null; isCouponShown: boolean }) {
  const { t } = useTranslation()
  const { problem } = props
  const ofCoupon = couponProblem(problem)
  const message = ofCoupon ?? (problem ? problemText(problem, t) : undefined)
  const place = useRef<HTMLDivElement>(null)
  // The button of the bar at the window's edge is far from here.
  useEffect(() => {
    if (problem) place.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])
  return (
    <div ref={place} className={classes.problem}>
      <FormError message={ofCoupon && props.isCouponShown ? undefined : message} />
    </div>
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
