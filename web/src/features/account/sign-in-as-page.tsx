import { Group, Loader, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { openVisit } from '@/lib/api/auth-api'
import { session } from '@/lib/session/current-session'
import { AuthCard } from './components/auth-card'
import { takeVisitCode } from './visit-code'

/** Opens a visit by the code that the console gave, in this tab alone: the member's own session goes on in the others. */
export function SignInAsPage() {
  const { t } = useTranslation('visit')
  const router = useRouter()
  const [isRefused, setRefused] = useState(false)
  const enter = useEffectEvent(async () => {
    try {
      const { access_token } = await openVisit({ code: takeVisitCode() })
      if (session.signIn({ access_token, refresh_token: null })) {
        await router.navigate({ to: '/user/dashboard', replace: true })
        return
      }
    } catch (error) {
      console.warn('The visit was not opened:', error)
    }
    setRefused(true)
  })
  useEffect(() => void enter(), [])

  if (isRefused) {
    return (
      <AuthCard documentTitle={t('title')} heading={t('refusedTitle')} about={t('refusedText')}>
        <a href="/admin">{t('toConsole')}</a>
      </AuthCard>
    )
  }
  return (
    <AuthCard documentTitle={t('title')} heading={t('title')}>
      <Group role="status" gap="sm">
        <Loader size="sm" />
        <Text c="dimmed">{t('entering')}</Text>
      </Group>
    </AuthCard>
  )
}
