import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/services-old')({
  validateSearch: z.object({
    /** The service whose bills are unfolded. */
    bills: z.catch(z.optional(z.int().check(z.positive())), undefined),
  }),
  loader: () => loadTexts('service'),
  component: lazyPage(() => import('@/features/service/services-old-page'), 'ServicesOldPage'),
})
