import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { loadPage } from '@/app/load-page'
import { rules } from '@/features/audit/queries'

export const Route = createFileRoute('/user/audit/')({
  loader: ({ context: { queryClient } }) =>
    loadPage(loadTexts('audit'), queryClient.prefetchQuery(rules())),
  component: lazyPage(() => import('@/features/audit/pages'), 'RulesPage'),
})
