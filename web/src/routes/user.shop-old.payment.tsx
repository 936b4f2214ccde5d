import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/shop-old/payment')({
  validateSearch: z.object({
    /** The chosen price. */
    shop: z.catch(z.optional(z.int().check(z.positive())), undefined),
    coupon: z.catch(z.optional(z.string().check(z.maxLength(64))), undefined),
  }),
  loader: () => loadTexts('shop'),
  component: lazyPage(() => import('@/features/shop/shop-payment-page'), 'ShopPaymentPage'),
})
