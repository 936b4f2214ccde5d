import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { AuthCard } from '@/features/account/components/auth-card'
import { siteTexts } from '@/lib/api/site-texts'
import { Loaded } from '@/ui/loaded'
import { Markdown } from '@/ui/markdown'
import { WebSiteLayout2 } from './layouts/web-site-layout2'

type Name = 'terms' | 'privacy'

function LegalPage({ name }: { name: Name }) {
  const { t, i18n } = useTranslation()
  const query = useQuery(siteTexts(i18n.language))
  return (
    <WebSiteLayout2 isWide>
      <AuthCard documentTitle={t(`legal.${name}`)} heading={t(`legal.${name}`)}>
        <Loaded query={query} skeleton={<Skeleton height={320} />}>
          {(texts) =>
            texts[name] ? (
              <div>
                <Markdown text={texts[name]} level={2} />
              </div>
            ) : (
              <Text c="dimmed">{t('legal.nothing')}</Text>
            )
          }
        </Loaded>
      </AuthCard>
    </WebSiteLayout2>
  )
}

/** The operator's terms of service. */
export const TermsPage = () => <LegalPage name="terms" />

/** The operator's privacy notice. */
export const PrivacyPage = () => <LegalPage name="privacy" />
