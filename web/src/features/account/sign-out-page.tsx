import { Group, Loader, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { signOut } from '@/api/open-calls'
import { session } from '@/app/session/current-session'
import { AuthCard } from './components/auth-card'

/** Ends the session at the server if it can be reached, here in any case. */
export function SignOutPage() {
  const { t } = useTranslation('account')
  const router = useRouter()

  useEffect(() => {
    const leave = async () => {
      if (session.accessToken()) await signOut().catch(() => undefined)
      session.signOut()
      await router.navigate({ to: '/auth/sign-in', replace: true })
    }
    void leave()
  }, [router])

  return (
    <AuthCard documentTitle={t('signOut.title')} heading={t('signOut.title')}>
      <Group role="status" gap="sm">
        <Loader size="sm" />
        <Text c="dimmed">{t('signOut.leaving')}</Text>
      </Group>
    </AuthCard>
  )
}
