import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

const number = z.catch(z.optional(z.int().check(z.positive())), undefined)

export const Route = createFileRoute('/user/services/buy')({
  validateSearch: z.object({
    kind: z._default(z.catch(z.enum(['plan', 'package']), 'plan'), 'plan'),
    /** The chosen plan or package. */
    plan: number,
    months: number,
    /** The service to renew. */
    renew: number,
    /** The service that ends for the new one. */
    change: number,
    coupon: z.catch(z.optional(z.string().check(z.maxLength(64))), undefined),
  }),
  loader: () => loadTexts('shop'),
  component: lazyPage(() => import('@/features/shop/buy-page'), 'BuyPage'),
})
