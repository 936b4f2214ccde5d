import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/app/lazy'
import { TextLink } from '@/shared/ui/text-link'
import { AuthCard } from './components/auth-card'
import { PasswordSignIn } from './components/password-sign-in'

const route = getRouteApi('/auth/sign-in')

const RefusedLink = lazyPart(() => import('./components/refused-link'), 'RefusedLink')
const CodeSignIn = lazyPart(() => import('./components/code-sign-in'), 'CodeSignIn')

export function SignInPage() {
  const { t } = useTranslation('account')
  const search = route.useSearch()
  const { next } = search
  const about = useAbout()
  const isByCode = search.with === 'code'
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
      <Suspense>{search.reason && <RefusedLink reason={search.reason} />}</Suspense>
      <Suspense>{isByCode ? <CodeSignIn next={next} /> : <PasswordSignIn next={next} />}</Suspense>
      <TextLink
        to="/auth/sign-in"
        search={{ next, ...(!isByCode && { with: 'code' as const }) }}
        replace
        ta="center"
        fz="sm"
      >
        {isByCode ? t('signIn.byPassword') : t('signIn.byCode')}
      </TextLink>
    </AuthCard>
  )
}

function useAbout(): string | undefined {
  const { t } = useTranslation('account')
  const search = route.useSearch()
  if (search.with === 'code') return t('signIn.byCodeAbout')
  if (search.done === 'password') return t('signIn.passwordSet')
  return search.next && t('signIn.ended')
}
