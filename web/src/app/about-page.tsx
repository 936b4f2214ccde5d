import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/api/site'
import { AuthCard } from '@/features/account/components/auth-card'
import { useSiteName } from '@/shared/lib/site-name'
import { HomeButton } from '@/shared/ui/status-page'
import { WebSiteLayout2 } from './layouts/web-site-layout2'

export function AboutPage() {
  const { t } = useTranslation('account')
  const siteName = useSiteName()
  const { data: site } = useQuery(siteOptions())
  return (
    <WebSiteLayout2>
      <AuthCard documentTitle={t('about.title')} heading={siteName}>
        <Stack gap="sm">
          <Text>{t('about.text')}</Text>
          <Text size="sm" c="dimmed">
            {t('about.software', { version: site?.version ?? '' })}
          </Text>
        </Stack>
        <HomeButton />
      </AuthCard>
    </WebSiteLayout2>
  )
}
