import { CirclePause, CirclePlay } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffCouponChange } from '@/lib/api/gen/staff/sdk.gen'
import type { CouponItem } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Money } from '@/ui/money'
import type { Action } from '../parts/action'

/** What a coupon takes off. */
export function Off({ coupon: { percent, amount } }: { coupon: CouponItem }) {
  const currency = useCurrency()
  return percent === null ? <Money amount={amount ?? '0'} currency={currency} /> : `${percent}%`
}

export function useCouponActions(): Action<CouponItem>[] {
  const { t } = useTranslation('console/coupon')
  const set = (enabled: boolean) => (coupon: CouponItem) =>
    staffCouponChange({
      path: { coupon_id: coupon.id },
      headers: { 'If-Match': `"${coupon.version}"` },
      body: { enabled },
      throwOnError: true,
    })
  return [
    {
      key: 'stop',
      icon: CirclePause,
      title: t('stop'),
      permission: 'coupon.write',
      danger: 'C',
      isShown: ({ enabled }) => enabled,
      effect: ({ code }) => t('stopEffect', { code }),
      run: set(false),
      done: ({ code }) => t('stopped', { code }),
    },
    {
      key: 'start',
      icon: CirclePlay,
      title: t('start'),
      permission: 'coupon.write',
      danger: 'C',
      isShown: ({ enabled, declined }) => !enabled && !declined,
      effect: ({ code }) => t('startEffect', { code }),
      run: set(true),
      done: ({ code }) => t('started', { code }),
    },
  ]
}
