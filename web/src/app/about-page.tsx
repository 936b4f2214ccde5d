import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type Site, siteOptions } from '@/lib/api/site'
import { AuthCard } from '@/features/account/components/auth-card'
import { useSiteName } from '@/lib/site-name'
import { ContactLinks, useContacts } from '@/ui/contact'
import { Fact } from '@/ui/fact'
import { HomeButton } from '@/ui/status-page'
import { TextLink } from '@/ui/text-link'
import classes from './about-page.module.css'
import { WebSiteLayout2 } from './layouts/web-site-layout2'

/** What the service is, who runs it, and where its source is, as the operator set it. */
export function AboutPage() {
  const { t, i18n } = useTranslation('about')
  const siteName = useSiteName()
  const { data: site } = useQuery(siteOptions())
  const own = i18n.language === 'en' ? site?.about.text_en : site?.about.text_zh
  return (
    <WebSiteLayout2>
      <AuthCard documentTitle={t('title')} heading={siteName}>
        <Text className={classes.text}>{own || t('text')}</Text>
        {site && <Facts site={site} />}
        <Software source={site?.about.source_url} />
        <HomeButton />
      </AuthCard>
    </WebSiteLayout2>
  )
}

function Facts({ site: { about, legal, version } }: { site: Site }) {
  const { t } = useTranslation('about')
  const { t: common } = useTranslation()
  const isReachable = useContacts() !== undefined
  return (
    <dl className={classes.facts}>
      {isReachable && (
        <Fact name={t('contact')}>
          <ContactLinks />
        </Fact>
      )}
      {legal.has_terms ? (
        <Fact name={common('legal.terms')}>
          <TextLink to="/terms">{t('read')}</TextLink>
        </Fact>
      ) : (
        about.terms_url && (
          <Fact name={common('legal.terms')}>
            <Out href={about.terms_url} />
          </Fact>
        )
      )}
      {legal.has_privacy ? (
        <Fact name={common('legal.privacy')}>
          <TextLink to="/privacy">{t('read')}</TextLink>
        </Fact>
      ) : (
        about.privacy_url && (
          <Fact name={common('legal.privacy')}>
            <Out href={about.privacy_url} />
          </Fact>
        )
      )}
      <Fact name={t('version')}>{version}</Fact>
    </dl>
  )
}

/** A page elsewhere, by the part of its address that people read. */
function Out({ href }: { href: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {href.replace(/^https?:\/\//, '')}
    </Anchor>
  )
}

/** Section 13 of the AGPL: whoever uses the program over a network is offered its source. */
function Software({ source }: { source: string | undefined }) {
  const { t } = useTranslation('about')
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {t('software')} {!source && t('sourceByRequest')}
      </Text>
      {source && (
        <Anchor size="sm" href={source} target="_blank" rel="noreferrer">
          {t('source')}
        </Anchor>
      )}
    </Stack>
  )
}
