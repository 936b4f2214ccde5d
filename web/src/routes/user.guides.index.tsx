import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { guidesWith } from '@/features/guide/queries'
import { searchOf, searchOneOf, searchText } from '@/lib/search-part'

const systems = ['windows', 'macos', 'ios', 'android', 'linux', 'harmonyos'] as const

const validateSearch = searchOf({
  q: searchText,
  /** Only those about this system, and about all. */
  system: (part: unknown) => searchOneOf(systems, part),
})

export const Route = createFileRoute('/user/guides/')({
  validateSearch,
  loaderDeps: ({ search: { q } }) => ({ q }),
  loader: ({ context: { queryClient }, deps: { q }, cause }) =>
    loadPage(loadTexts('guide'), cause !== 'stay' && queryClient.prefetchQuery(guidesWith(q))),
  component: lazyPage(() => import('@/features/guide/pages'), 'GuidesPage'),
})
