import { useTranslation } from 'react-i18next'

/** Returns a function that says what users call a class, which is its number where the operator gave it no name. */
export function useClassName() {
  const { t } = useTranslation('node')
  return (of: { class: number; class_name: string }): string =>
    of.class_name || t('class', { class: of.class })
}
