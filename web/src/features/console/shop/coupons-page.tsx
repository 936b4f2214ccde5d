import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { CouponItem } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { Off, useCouponActions } from './coupon-actions'
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
      width: '11rem',
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
