import { useTranslation } from 'react-i18next'
import type mail from '@/locales/zh-CN/console/mail.json'

/** What a kind of mail is called, as its template is; one that the app does not know yet as the server names it. */
export function useKind(): (kind: string) => string {
  const { t } = useTranslation('console/mail')
  return (kind) => t(`kind.${kind as keyof (typeof mail)['kind']}`, { defaultValue: kind })
}
