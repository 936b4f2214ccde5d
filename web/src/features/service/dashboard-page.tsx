import { useTranslation } from 'react-i18next'
import { useSession } from '@/app/session/current-session'
import { PageHeader } from '@/shared/ui/page-header'

export function DashboardPage() {
  const { t } = useTranslation()
  const session = useSession()
  return (
    <PageHeader
      title={t('nav.dashboard')}
      {...(session.status === 'authenticated' && { about: session.user.email })}
    />
  )
}
