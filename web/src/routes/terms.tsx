import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/terms')({
  loader: async ({ context: { queryClient } }) => {
    const { siteTexts } = await import('@/lib/api/site-texts')
    await queryClient.prefetchQuery(siteTexts(document.documentElement.lang))
  },
  component: lazyPage(() => import('@/app/legal-page'), 'TermsPage'),
})
