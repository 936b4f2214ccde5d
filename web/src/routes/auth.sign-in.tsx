import { createFileRoute, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { returnPath } from '@/shared/lib/return-path'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/auth/sign-in')({
  validateSearch: z.object({
    next: z.catch(z.optional(z.string()), undefined),
    /** By a code sent by email, or in Telegram; without it by password. */
    with: z.catch(z.optional(z.enum(['code', 'telegram'])), undefined),
    /** What was done before and is told here. */
    done: z.catch(z.optional(z.literal('password')), undefined),
    /** The code of why a link that signs in did not. */
    reason: z.catch(z.optional(z.string()), undefined),
  }),
  beforeLoad: ({ context, search }) => {
    if (context.session.state.status === 'authenticated' && !context.session.isExpired) {
      throw redirect({ href: returnPath(search.next), replace: true })
    }
  },
  component: lazyPage(() => import('@/features/account/sign-in-page'), 'SignInPage'),
})
