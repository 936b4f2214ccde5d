import { useLocation } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { HomeButton, StatusPage } from '@/ui/status-page'
import { isCrawler } from './crawler'
import { WebSiteLayout2 } from './layouts/web-site-layout2'
import { lazyPart } from '@/lib/lazy-part'
import { useSession } from '@/lib/session/current-session'

// The open pages do not carry the user's layout.
const UserLayout = lazyPart(() => import('./layouts/default-layout'), 'DefaultLayout')

export function NotFoundPage() {
  const { t } = useTranslation()
  const path = useLocation({ select: ({ pathname }) => pathname })

  if (isCrawler()) {
    console.error(`Page not found: ${path}`)
    return null
  }
  return (
    <StatusPage
      documentTitle={t('error.notFound')}
      caption={`404 · ${t('error.notFound')}`}
      title={t('error.notFoundTitle')}
      text={t('error.notFoundText')}
      action={<HomeButton />}
    />
  )
}

/** The same for an address outside of every layout: a signed-in user keeps the menu. */
export function StandaloneNotFoundPage() {
  const isSignedIn = useSession().status === 'authenticated'
  const page = <NotFoundPage />
  if (!isSignedIn) return <WebSiteLayout2>{page}</WebSiteLayout2>
  return (
    <Suspense>
      <UserLayout>{page}</UserLayout>
    </Suspense>
  )
}
