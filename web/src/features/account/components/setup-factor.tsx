import { Button, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

/** Leads the new owner to where a passkey or digits are added, or on to the console. */
export function SetupFactor() {
  const { t } = useTranslation('setup/steps')
  const router = useRouter()
  // The routes of these pages are no part of this page.
  const go = (href: string) => void router.navigate({ href, replace: true })
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('factor.why')}
      </Text>
      <Button onClick={() => go('/user/account/security')}>{t('factor.add')}</Button>
      <Button variant="subtle" onClick={() => go('/admin')}>
        {t('factor.later')}
      </Button>
    </Stack>
  )
}
