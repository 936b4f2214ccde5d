import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_default')({
  component: lazyPage(() => import('@/app/layouts/default-layout'), 'DefaultLayout'),
})
