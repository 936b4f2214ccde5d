import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import { useSiteName } from '@/lib/site-name'
import { ContactLinks, useContacts } from '@/ui/contact'
import { TextLink } from '@/ui/text-link'
import classes from './footer.module.css'

export function Footer() {
  const { t, i18n } = useTranslation()
  const siteName = useSiteName()
  const { data: site } = useQuery(siteOptions())
  const own = i18n.language === 'en' ? site?.look.footer_en : site?.look.footer_zh
  const isReachable = useContacts() !== undefined
  return (
    <footer className={classes.footer}>
      <span>2020-2025 {siteName}</span>
      {site?.legal.has_terms && <TextLink to="/terms">{t('legal.terms')}</TextLink>}
      {site?.legal.has_privacy && <TextLink to="/privacy">{t('legal.privacy')}</TextLink>}
      {isReachable && (
        <span className={classes.contact}>
          {t('contact.title')}
          <ContactLinks />
        </span>
      )}
      {own && <span className={classes.own}>{own}</span>}
    </footer>
  )
}
