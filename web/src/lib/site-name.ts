import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'

/** The operator's name for the site; ours until, or unless, the server says one. */
export function useSiteName(): string {
  const { t } = useTranslation()
  const { data: site } = useQuery(siteOptions())
  return site?.site_name || t('siteName')
}
