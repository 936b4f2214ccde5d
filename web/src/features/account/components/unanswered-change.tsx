import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { session } from '@/lib/session/current-session'
import { Notice } from '@/ui/notice'

/**
 * Says on the sign-in page that a change of the password, whose answer was lost, may have ended the session. After a
 * sign-in `name` is forgotten in the tab's storage.
 */
export function UnansweredChange({ name }: { name: string }) {
  const { t } = useTranslation('security')
  useEffect(
    () => () => {
      if (session.state.status === 'authenticated') sessionStorage.removeItem(name)
    },
    [name],
  )
  return <Notice tone="warning">{t('password.unanswered')}</Notice>
}
