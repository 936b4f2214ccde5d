import { Button, Skeleton } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import type { useQuote } from './use-quote'

const CouponForm = lazyPart(() => import('./coupon-form'), 'CouponForm')

type Quote = ReturnType<typeof useQuote>

export type CouponProps = Pick<Quote, 'coupon' | 'couponProblem' | 'isChecking' | 'checkAgain'> & {
  onCoupon: (code: string | undefined) => void
}

/** Asks whether people have a coupon. Few have, so that its form is loaded when they say so. */
export function CouponField(props: CouponProps) {
  const { t } = useTranslation('shop')
  const [isOpen, setOpen] = useState(props.coupon !== undefined)
  if (isOpen || props.coupon !== undefined) {
    return (
      <Suspense fallback={<Skeleton height={60} mt="md" />}>
        <CouponForm {...props} />
      </Suspense>
    )
  }
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mt="sm"
      ml={-8}
      w="fit-content"
      onClick={() => setOpen(true)}
    >
      {t('coupon.have')}
    </Button>
  )
}
