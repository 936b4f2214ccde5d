import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/auth/forgot-password')({
  validateSearch: z.object({ next: z.catch(z.optional(z.string()), undefined) }),
  component: lazyPage(
    () => import('@/features/account/forgot-password-page'),
    'ForgotPasswordPage',
  ),
})
