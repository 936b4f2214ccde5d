import { Group, Loader, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { AuthCard } from './components/auth-card'
import { leave } from './leave'

/** Signs out without asking. */
export function SignOutPage() {
  const { t } = useTranslation('account')
  const router = useRouter()

  useEffect(() => {
    void leave().then(() => router.navigate({ to: '/auth/sign-in', replace: true }))
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
