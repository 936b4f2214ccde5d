import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { guideOf } from '@/features/guide/queries'
import { loadMarkdown } from '@/ui/load-markdown'

export const Route = createFileRoute('/user/guides/$slug')({
  loader: ({ context: { queryClient }, params: { slug } }) =>
    loadPage(loadTexts('guide'), queryClient.prefetchQuery(guideOf(slug)), loadMarkdown()),
  component: lazyPage(() => import('@/features/guide/pages'), 'GuidePage'),
})
