import { useTranslation } from 'react-i18next'
import { useSiteName } from '@/lib/site-name'
import { ContactLinks, useContacts } from '@/ui/contact'
import classes from './footer.module.css'

export function Footer() {
  const { t } = useTranslation()
  const siteName = useSiteName()
  const isReachable = useContacts() !== undefined
  return (
    <footer className={classes.footer}>
      <span>2020-2025 {siteName}</span>
      {isReachable && (
        <span className={classes.contact}>
          {t('contact.title')}
          <ContactLinks />
        </span>
      )}
    </footer>
  )
}
