import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/user/promote')({
  loader: () => loadTexts('invite'),
  component: lazyPage(() => import('@/features/invite/promote-page'), 'PromotePage'),
})
