import { createFileRoute } from '@tanstack/react-router'
import { loadTexts } from '@/app/i18n'
import { WebSiteLayout2 } from '@/app/layouts/web-site-layout2'

export const Route = createFileRoute('/auth')({
  loader: () => loadTexts('account'),
  component: WebSiteLayout2,
})
