import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { movementReasons } from '@/features/wallet/reasons'

export const Route = createFileRoute('/user/wallet/')({
  validateSearch: z.object({
    page: z._default(z.catch(z.int().check(z.positive()), 1), 1),
    reason: z.catch(z.optional(z.enum(movementReasons)), undefined),
  }),
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/wallet-page'), 'WalletPage'),
})
