import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchNumber, searchOf, searchPage } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/audit/view')({
  validateSearch: searchOf({
    page: searchPage,
    /** The id of the only rule that is asked for. */
    rule: searchNumber,
  }),
  loader: () => loadTexts('audit'),
  component: lazyPage(() => import('@/features/audit/pages'), 'LogPage'),
})
