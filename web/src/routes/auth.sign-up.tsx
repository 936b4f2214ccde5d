import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/auth/sign-up')({
  validateSearch: z.object({
    next: z.catch(z.optional(z.string()), undefined),
    /** The invite code of the link that led here. */
    code: z.catch(z.optional(z.string()), undefined),
  }),
  component: lazyPage(() => import('@/features/account/sign-up-page'), 'SignUpPage'),
})
