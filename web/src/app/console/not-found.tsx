import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/ui/button-link'
import { StatusPage } from '@/ui/status-page'
import { ConsoleLayout } from './console-layout'

/** A page that is not there, with a way back into the console. */
export function NotFoundInConsole() {
  const { t } = useTranslation('console/shell')
  const { t: shared } = useTranslation()
  return (
    <StatusPage
      documentTitle={shared('error.notFound')}
      caption={`404 · ${shared('error.notFound')}`}
      title={shared('error.notFoundTitle')}
      text={shared('error.notFoundText')}
      action={<ButtonLink to="/admin">{t('backToConsole')}</ButtonLink>}
    />
  )
}

/** The same for a page that the member may not read: the route that refuses it draws the console, too. */
export function ConsoleWithoutPage() {
  return (
    <ConsoleLayout>
      <NotFoundInConsole />
    </ConsoleLayout>
  )
}
