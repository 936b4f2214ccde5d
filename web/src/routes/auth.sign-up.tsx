import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'
import { searchText } from '@/lib/search-part'

type Search = {
  next?: string | undefined
  /** The invite code of the link that led here. */
  invite_code?: string | undefined
}

export const Route = createFileRoute('/auth/sign-up')({
  validateSearch: (search: Search & { code?: unknown }): Search => ({
    next: searchText(search.next),
    invite_code: searchText(search.invite_code ?? search.code), // code: in links of other panels
  }),
  component: lazyPage(() => import('@/features/account/open-pages'), 'SignUpPage'),
})
