import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/wallet/billing/')({
  validateSearch: z.object({
    page: z._default(z.catch(z.int().check(z.positive()), 1), 1),
    /** As "2026-11"; without it all months. */
    month: z.catch(z.optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/))), undefined),
  }),
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/billing-page'), 'BillingPage'),
})
