import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'
import { searchText } from '@/shared/lib/search-part'

type Search = {
  next?: string | undefined
  /** The invite code of the link that led here. */
  code?: string | undefined
}

export const Route = createFileRoute('/auth/sign-up')({
  validateSearch: (search): Search => ({
    next: searchText(search.next),
    code: searchText(search.code),
  }),
  component: lazyPage(() => import('@/features/account/sign-up-page'), 'SignUpPage'),
})
