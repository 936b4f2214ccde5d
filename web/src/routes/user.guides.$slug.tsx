import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { guideOf } from '@/features/guide/queries'

export const Route = createFileRoute('/user/guides/$slug')({
  loader: ({ context: { queryClient }, params: { slug } }) =>
    loadPage(loadTexts('guide'), queryClient.prefetchQuery(guideOf(slug))),
  component: lazyPage(() => import('@/features/guide/pages'), 'GuidePage'),
})
