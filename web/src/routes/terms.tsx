import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/terms')({
  loader: async ({ context: { queryClient } }) => {
    const { loadLegal } = await import('@/app/load-legal')
    await loadLegal(queryClient)
  },
  component: lazyPage(() => import('@/app/legal-page'), 'TermsPage'),
})
