import { useTranslation } from 'react-i18next'
import { HomeButton, StatusPage } from '@/shared/ui/status-page'

export function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <StatusPage
      caption="404 · Page Not Found"
      title={t('error.notFoundTitle')}
      text={t('error.notFoundText')}
      action={<HomeButton />}
    />
  )
}
