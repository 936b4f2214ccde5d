import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/about')({
  loader: () => loadTexts('about'),
  component: lazyPage(() => import('@/app/about-page'), 'AboutPage'),
})
