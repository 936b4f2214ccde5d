import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { HomeButton, StatusPage } from '@/shared/ui/status-page'
import { isCrawler } from './crawler'
import { WebSiteLayout2 } from './layouts/web-site-layout2'

export function NotFoundPage() {
  const { t } = useTranslation()
  const path = useLocation({ select: ({ pathname }) => pathname })

  if (isCrawler()) {
    console.error(`Page not found: ${path}`)
    return null
  }
  return (
    <StatusPage
      documentTitle="Page Not Found"
      caption="404 · Page Not Found"
      title={t('error.notFoundTitle')}
      text={t('error.notFoundText')}
      action={<HomeButton />}
    />
  )
}

/** The same where no layout is around it. */
export function StandaloneNotFoundPage() {
  return (
    <WebSiteLayout2>
      <NotFoundPage />
    </WebSiteLayout2>
  )
}
