import { getRouteApi } from '@tanstack/react-router'

const route = getRouteApi('/user/services/buy')

/** The coupon is a search parameter: it survives a reload and the choice of another plan, and links can contain it. */
export function useCouponSearch() {
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
