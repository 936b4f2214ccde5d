import { createFileRoute, redirect } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { keepVisitCode } from '@/features/account/visit-code'

/** Where the console, or the operator's command, leads a member of staff who is to see the site as a user does. */
export const Route = createFileRoute('/auth/sign-in-as')({
  beforeLoad: ({ location }) => {
    // Out of the address bar and the history before anything is loaded or shown.
    if (location.hash) {
      keepVisitCode(location.hash)
      throw redirect({ to: '/auth/sign-in-as', hash: '', replace: true })
    }
  },
  loader: () => loadTexts('visit'),
  component: lazyPage(() => import('@/features/account/sign-in-as-page'), 'SignInAsPage'),
})
