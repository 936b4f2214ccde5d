import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/shared/ui/button-link'
import { Notice } from '@/shared/ui/notice'
import type { Notice as What } from '../model'

/** What is wrong with one's access, and the one action that helps. */
export function NoticeStrip({ notice: { tone, key, count, action } }: { notice: What }) {
  const { t } = useTranslation('home')
  return (
    <Notice tone={tone} action={action && <Action action={action} />}>
      {t(`notice.${key}`, { count })}
    </Notice>
  )
}

function Action({ action }: { action: NonNullable<What['action']> }) {
  const { t } = useTranslation('home')
  const text = t(`action.${action}`)
  if (action === 'renew')
    return (
      <ButtonLink size="sm" to="/user/services">
        {text}
      </ButtonLink>
    )
  return (
    <ButtonLink
      size="sm"
      to="/user/services/buy"
      search={action === 'buyPackage' ? { kind: 'package' } : {}}
    >
      {text}
    </ButtonLink>
  )
}
