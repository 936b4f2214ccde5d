import { createFileRoute, redirect } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchText } from '@/lib/search-part'
import { keepUrlTokens } from '@/features/account/url-tokens'

/** For everybody, signed in or not. */
export const Route = createFileRoute('/auth/sign-in-by-access-jwt')({
  validateSearch: (search): { next?: string | undefined } => ({ next: searchText(search.next) }),
  beforeLoad: ({ location, search }) => {
    // Out of the address bar and the history before anything is loaded or shown.
    if (location.hash && keepUrlTokens(location.hash)) {
      throw redirect({ to: '/auth/sign-in-by-access-jwt', search, hash: '', replace: true })
    }
  },
  loader: () => loadTexts('entry'),
  component: lazyPage(
    () => import('@/features/account/sign-in-by-token-page'),
    'SignInByTokenPage',
  ),
})
