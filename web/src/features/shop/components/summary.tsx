import { Card, Skeleton, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import type { OrderItem as Order } from '@/lib/api/gen/types.gen'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import page from '../buy-page.module.css'
import type { Purchase } from '../quote'
import { Bill } from './bill'
import type { Change } from './change-compare'
import { CouponField } from './coupon-field'
import classes from './summary.module.css'
import { useQuote } from './use-quote'

/** The bill of the chosen plan with the coupon field and the button that names the amount. */
export function Summary(props: {
  name: string
  purchase: Purchase
  autoRenew?: boolean | undefined
  /** The order that is repeated, if any: a higher price than its own is pointed out. */
  previousOrder?: Order | undefined
  /** Set for a change of plan: what the confirmation compares. */
  change?: Change | undefined
  coupon: string | undefined
  onCoupon: (code: string | undefined) => void
  onBought: (orderNo: number) => Promise<void>
}) {
  const { t } = useTranslation('shop')
  const { query, purchase, ...coupon } = useQuote(props.purchase, props.coupon)
  const title = useRef<HTMLHeadingElement>(null)
  const isRepeated = props.previousOrder !== undefined
  // All is chosen already: what is left to do is here.
  useEffect(() => {
    if (!isRepeated) return
    title.current?.focus({ preventScroll: true })
    title.current?.scrollIntoView({ block: 'start' })
  }, [isRepeated])
  const refusal =
    query.error instanceof ApiError && !query.error.isPassing ? query.error : undefined
  return (
    <Card component="section" aria-labelledby="summary-title" className={page.aside}>
      <Title
        ref={title}
        tabIndex={-1}
        order={2}
        size="h3"
        id="summary-title"
        mb="md"
        className={classes.title}
      >
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
              previousOrder={props.previousOrder}
              change={props.change}
              isChecking={coupon.isChecking}
              isWithoutCoupon={coupon.couponProblem !== undefined}
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
