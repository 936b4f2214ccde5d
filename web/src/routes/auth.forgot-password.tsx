import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'
import { searchText } from '@/lib/search-part'

export const Route = createFileRoute('/auth/forgot-password')({
  validateSearch: (search): { next?: string | undefined } => ({ next: searchText(search.next) }),
  component: lazyPage(() => import('@/features/account/open-pages'), 'ForgotPasswordPage'),
})
