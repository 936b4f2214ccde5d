import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { HomeButton, StatusPage } from '@/shared/ui/status-page'
import { isCrawler } from './crawler'

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
