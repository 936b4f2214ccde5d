import { createFileRoute } from '@tanstack/react-router'
import { apiTokensListOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { searchOf, searchOneOf, searchText } from '@/lib/search-part'

export const Route = createFileRoute('/user/developer')({
  validateSearch: searchOf({
    tab: (part: unknown): 'tokens' | 'samples' | 'reference' =>
      searchOneOf(['tokens', 'samples', 'reference'], part) ?? 'tokens',
    /** What is searched for in the reference. */
    q: searchText,
    /** The chosen call, by its operationId. */
    op: searchText,
  }),
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('developer'), queryClient.prefetchQuery(apiTokensListOptions())),
  component: lazyPage(() => import('@/features/developer/pages'), 'DeveloperPage'),
})
