import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/app/lazy'

export const Route = createFileRoute('/test-page/_wide')({
  component: lazyPage(() => import('@/app/layouts/web-site-layout1'), 'WebSiteLayout1'),
})
