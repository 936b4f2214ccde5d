import { useTranslation } from 'react-i18next'

const UNKNOWN = 'ZZ'

/** The name of a country in the reader's language; "—" where none is known. */
export function useAreaName(): (area: string) => string {
  const { i18n } = useTranslation()
  const names = new Intl.DisplayNames(i18n.language, { type: 'region', fallback: 'code' })
  return (area) => {
    if (area === '' || area === UNKNOWN) return '—'
    return (/^[A-Z]{2}$/.test(area) && names.of(area)) || area
  }
}
