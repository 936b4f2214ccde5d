import { useTranslation } from 'react-i18next'

/** The language that texts are previewed in: the one that the member reads. */
export function useLanguage(): 'zh' | 'en' {
  const { i18n } = useTranslation()
  return i18n.language.startsWith('zh') ? 'zh' : 'en'
}
