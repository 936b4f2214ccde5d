import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/wallet/recharge/new')({
  validateSearch: z.object({
    /** The recharge that was begun: its number, or the id that gateways send back. */
    id: z.catch(z.optional(z.union([z.int(), z.string()])), undefined),
  }),
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/recharge-page'), 'RechargePage'),
})
