import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/audit/')({
  loader: () => loadTexts('audit'),
  component: lazyPage(() => import('@/features/audit/pages'), 'RulesPage'),
})
