import { useTranslation } from 'react-i18next'

/** The name in the reader's language of what has one in each; the one for all languages where that is missing. */
export function useOwnName(): (one: {
  name: string
  name_zh?: string
  name_en?: string
}) => string {
  const { i18n } = useTranslation()
  const isChinese = i18n.language.startsWith('zh')
  return ({ name, name_zh: zh, name_en: en }) => (isChinese ? zh : en) || name
}
