import { CirclePause, CirclePlay, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffCouponChange } from '@/lib/api/gen/staff/sdk.gen'
import type { CouponItem } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { CouponState } from './coupon-state'
import { coupons } from './resource'

/** Codes that take something off an order. */
export function CouponsPage() {
  const { t } = useTranslation('console/coupon')
  const may = useMay()
  return (
    <ListPage
      title={t('title')}
      resource={coupons}
      columns={useColumns()}
      link={({ id }) => ({ to: '/admin/coupons/$id', params: { id: String(id) } })}
      actions={useCouponActions()}
      nameOf={({ code }) => code}
      empty={t('empty')}
      action={
        may('coupon.write') && (
          <ButtonLink to="/admin/coupons/new" leftSection={<Plus size={16} aria-hidden="true" />}>
            {t('new')}
          </ButtonLink>
        )
      }
    />
  )
}

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

function useColumns(): Column<CouponItem>[] {
  const { t } = useTranslation('console/coupon')
  return [
    { key: 'code', title: t('field.code'), place: 'title', cell: ({ code }) => code },
    {
      key: 'off',
      title: t('column.off'),
      width: '8rem',
      place: 'fact',
      align: 'end',
      cell: (coupon) => <Off coupon={coupon} />,
    },
    {
      key: 'used',
      title: t('column.used'),
      width: '8rem',
      place: 'fact',
      align: 'end',
      cell: ({ taken, total }) => `${taken} / ${total ?? '∞'}`,
    },
    {
      key: 'until',
      title: t('column.until'),
      width: '12rem',
      cell: ({ valid_to: time }) => (time ? <Moment time={time} withTime /> : '—'),
    },
    {
      key: 'state',
      title: t('column.state'),
      width: '10rem',
      place: 'state',
      cell: (coupon) => <CouponState coupon={coupon} />,
    },
    {
      key: 'created',
      title: t('column.created'),
      width: '12rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
