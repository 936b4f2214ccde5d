import { createFileRoute, redirect } from '@tanstack/react-router'
import { returnPath } from '@/lib/return-path'
import { lazyPage } from '@/app/lazy'
import { searchOneOf, searchText } from '@/lib/search-part'

type Search = {
  next?: string | undefined
  /** By a code sent by email, or in Telegram; without it by password. */
  with?: 'code' | 'telegram' | undefined
  /** What was done before and is reported here. */
  done?: 'password' | 'closed' | undefined
  /** The code of why a link that signs in did not. */
  reason?: string | undefined
}

export const Route = createFileRoute('/auth/sign-in')({
  validateSearch: (search): Search => ({
    next: searchText(search.next),
    with: searchOneOf(['code', 'telegram'], search.with),
    done: searchOneOf(['password', 'closed'], search.done),
    reason: searchText(search.reason),
  }),
  beforeLoad: ({ context, search }) => {
    if (context.session.state.status === 'authenticated' && !context.session.isExpired) {
      throw redirect({ href: returnPath(search.next), replace: true })
    }
  },
  component: lazyPage(() => import('@/features/account/open-pages'), 'SignInPage'),
})
