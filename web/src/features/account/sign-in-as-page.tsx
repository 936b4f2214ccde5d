import { Group, Loader, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { openVisit } from '@/lib/api/visit-api'
import { session } from '@/lib/session/current-session'
import { AuthCard } from './components/auth-card'
import { takeVisitCode } from './visit-code'

/** Opens a visit by the code that the console gave, in this tab alone: the member's own session goes on in the others. */
export function SignInAsPage() {
  const { t } = useTranslation('visit')
  const router = useRouter()
  const [isRefused, setRefused] = useState(false)
  const entered = useEffectEvent((isOpen: boolean) => {
    if (isOpen) void router.navigate({ to: '/user/dashboard', replace: true })
    else setRefused(true)
  })
  useEffect(() => void enterVisit().then((isOpen) => entered(isOpen)), [])

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

/** Opens the visit whose code the address has, in this tab, and tells whether it is open. */
async function enterVisit(): Promise<boolean> {
  const code = takeVisitCode()
  if (!code) return false
  try {
    const { access_token } = await openVisit({ code })
    return session.signIn({ access_token, refresh_token: null })
  } catch (error) {
    console.warn('The visit was not opened:', error)
    return false
  }
}
