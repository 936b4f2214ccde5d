import { createFileRoute } from '@tanstack/react-router'
import { WebSiteLayout1 } from '@/app/layouts/web-site-layout1'

export const Route = createFileRoute('/test-page/_wide')({
  component: WebSiteLayout1,
})
