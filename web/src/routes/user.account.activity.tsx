import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/account/activity')({
  validateSearch: z.object({
    page: z._default(z.catch(z.int().check(z.positive()), 1), 1),
  }),
  loader: () => loadTexts('security'),
  component: lazyPage(() => import('@/features/account/activity-page'), 'ActivityPage'),
})
