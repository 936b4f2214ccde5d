import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import { lazyPart } from '@/lib/lazy-part'
import { returnPath } from '@/lib/return-path'
import { session } from '@/lib/session/current-session'
import { ContactLinks, useContacts } from '@/ui/contact'
import { TextLink } from '@/ui/text-link'
import { AuthCard } from './components/auth-card'
import { PasswordSignIn } from './components/password-sign-in'

const route = getRouteApi('/auth/sign-in')

const RefusedLink = lazyPart(() => import('./components/refused-link'), 'RefusedLink')
const UnansweredChange = lazyPart(
  () => import('./components/unanswered-change'),
  'UnansweredChange',
)
const CodeSignIn = lazyPart(() => import('./components/code-sign-in'), 'CodeSignIn')
const TelegramSignIn = lazyPart(() => import('./components/telegram-sign-in'), 'TelegramSignIn')

// In the tab's storage, where edit-password-page.tsx puts it.
const unansweredChange = 'unanswered-password-change'

const otherWays = { code: CodeSignIn, telegram: TelegramSignIn }

export function SignInPage() {
  const { t } = useTranslation('account')
  const search = route.useSearch()
  const { next } = search
  useFollowSession(next)
  const about = useAbout()
  const { data: site } = useQuery(siteOptions())
  const Way = search.with ? otherWays[search.with] : PasswordSignIn
  return (
    <AuthCard
      documentTitle={t('signIn.title')}
      heading={t('signIn.welcome')}
      about={about}
      below={
        <>
          {t('signIn.noAccount')}{' '}
          <TextLink to="/auth/sign-up" search={{ next }}>
            {t('signIn.toSignUp')}
          </TextLink>
        </>
      }
    >
      <Suspense>
        {search.reason && <RefusedLink reason={search.reason} />}
        {next && sessionStorage.getItem(unansweredChange) && (
          <UnansweredChange name={unansweredChange} />
        )}
      </Suspense>
      <Suspense>
        <Way next={next} />
      </Suspense>
      {search.with && <WayLink>{t('signIn.byPassword')}</WayLink>}
      {search.with !== 'code' && <WayLink to="code">{t('signIn.byCode')}</WayLink>}
      {search.with !== 'telegram' && site?.telegram && (
        <WayLink to="telegram">{t('signIn.byTelegram')}</WayLink>
      )}
      <Help />
    </AuthCard>
  )
}

/** Goes on where another tab has signed in. */
function useFollowSession(next: string | undefined) {
  const router = useRouter()
  useEffect(
    () =>
      session.subscribe(() => {
        if (session.state.status === 'authenticated')
          void router.navigate({ href: returnPath(next), replace: true })
      }),
    [router, next],
  )
}

/** For who tried it all; the site's contact, where it has one. */
function Help() {
  const { t } = useTranslation('account')
  if (!useContacts()) return null
  return (
    <Text size="sm" c="dimmed" ta="center">
      {t('signIn.cannot')} <ContactLinks />
    </Text>
  )
}

function WayLink({ to, children }: { to?: keyof typeof otherWays; children: string }) {
  const { next } = route.useSearch()
  return (
    <TextLink
      to="/auth/sign-in"
      search={{ next, ...(to && { with: to }) }}
      replace
      ta="center"
      fz="sm"
    >
      {children}
    </TextLink>
  )
}

function useAbout(): string | undefined {
  const { t } = useTranslation('account')
  const search = route.useSearch()
  if (search.with === 'code') return t('signIn.byCodeAbout')
  if (search.done) return t(`signIn.done.${search.done}`)
  return search.next && t('signIn.ended')
}
