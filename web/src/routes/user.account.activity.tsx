import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchOf, searchPage } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/account/activity')({
  validateSearch: searchOf({
    page: searchPage,
  }),
  loader: () => loadTexts('security'),
  component: lazyPage(() => import('@/features/account/pages'), 'ActivityPage'),
})
