import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/wallet/recharge/')({
  validateSearch: z.object({
    page: z._default(z.catch(z.int().check(z.positive()), 1), 1),
  }),
  loader: () => loadTexts('wallet'),
  component: lazyPage(() => import('@/features/wallet/recharges-page'), 'RechargesPage'),
})
