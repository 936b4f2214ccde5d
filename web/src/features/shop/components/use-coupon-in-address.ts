import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/user/services/buy')

/** The coupon stands in the address: it lives through a reload and the choice of another plan, and can be sent as a link. */
export function useCouponInAddress() {
  const { coupon } = route.useSearch()
  const navigate = route.useNavigate()
  return {
    coupon,
    onCoupon: (code: string | undefined) =>
      void navigate({
        search: (before) => ({ ...before, coupon: code }),
        replace: true,
        resetScroll: false,
      }),
  }
}
