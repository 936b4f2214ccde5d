import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'
import { searchOf } from '@/shared/lib/search-part'

export const Route = createFileRoute('/user/connection-reset')({
  validateSearch: searchOf({
    page: (part: unknown) => Math.max(1, Math.floor(Number(part)) || 1),
  }),
  loader: () => loadTexts('home'),
  component: lazyPage(() => import('@/features/home/connection-reset-page'), 'ConnectionResetPage'),
})
