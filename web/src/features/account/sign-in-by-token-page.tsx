import { Group, Loader, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { whoami } from '@/lib/api/whoami'
import { lazyPart } from '@/lib/lazy-part'
import { session, useSession } from '@/lib/session/current-session'
import type { Tokens } from '@/lib/session/session'
import { readPayload } from '@/lib/session/token-payload'
import { returnPath } from '@/lib/return-path'
import { ButtonLink } from '@/ui/button-link'
import { ErrorBlock } from '@/ui/error-block'
import { urlTokens, forgetUrlTokens } from './url-tokens'
import { AuthCard } from './components/auth-card'
import type { Owner } from './components/switch-account'
import { leave } from './leave'

const SwitchAccount = lazyPart(() => import('./components/switch-account'), 'SwitchAccount')

const route = getRouteApi('/auth/sign-in-by-access-jwt')

/** Takes the tokens that a link has brought; it asks before they replace somebody else's session. */
export function SignInByTokenPage() {
  const [brought] = useState(urlTokens)
  return brought ? <Entry brought={brought} /> : <Refused />
}

function Entry({ brought }: { brought: Tokens }) {
  const { t } = useTranslation('entry')
  const owner = useQuery({
    queryKey: ['owner', brought.access_token],
    queryFn: ({ signal }) => whoami(brought.access_token, signal),
    gcTime: 0,
  })
  // As it was when the page was opened: what the page itself changes shall not change what it asks.
  const [state] = useState(useSession())
  const current = state.status === 'authenticated' ? state.user : undefined
  const { enter, stay } = useEntry(brought, current?.user_id)

  if (owner.data && current && current.user_id !== owner.data.user_id) {
    return (
      <Suspense>
        <SwitchAccount owner={owner.data} current={current.email} onSwitch={enter} onStay={stay} />
      </Suspense>
    )
  }
  if (owner.error instanceof ApiError && !owner.error.isPassing) return <Refused />
  return (
    <AuthCard documentTitle={t('title')} heading={t('title')}>
      {owner.error ? (
        <ErrorBlock
          error={owner.error}
          isRetrying={owner.isFetching}
          onRetry={() => void owner.refetch()}
        />
      ) : (
        <Group role="status" gap="sm">
          <Loader size="sm" />
          <Text c="dimmed">{t('entering')}</Text>
        </Group>
      )}
      {owner.data && <EnterNow owner={owner.data} onEnter={enter} />}
    </AuthCard>
  )
}

function useEntry(brought: Tokens, currentId: number | undefined) {
  const { next } = route.useSearch()
  const router = useRouter()
  const goOn = () => {
    forgetUrlTokens()
    return router.navigate({ href: returnPath(next), replace: true })
  }
  const enter = async (owner: Owner) => {
    if (owner.user_id !== currentId) await leave()
    const refresh = brought.refresh_token
    const isTheirs = refresh && readPayload(refresh)?.subject_refresh?.user_id === owner.user_id
    session.signIn({ ...brought, refresh_token: isTheirs ? refresh : null })
    await goOn()
  }
  return { enter, stay: goOn }
}

function EnterNow(props: { owner: Owner; onEnter: (owner: Owner) => Promise<void> }) {
  const enter = useEffectEvent(() => props.onEnter(props.owner))
  useEffect(() => void enter(), [])
  return null
}

function Refused() {
  const { t } = useTranslation('entry')
  const { next } = route.useSearch()
  return (
    <AuthCard documentTitle={t('title')} heading={t('refusedTitle')} about={t('refusedText')}>
      <ButtonLink to="/auth/sign-in" search={{ next }}>
        {t('toSignIn')}
      </ButtonLink>
    </AuthCard>
  )
}
