import { CircleAlert, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/shared/ui/button-link'
import type { Notice } from '../model'
import classes from './notice-strip.module.css'

/** What is wrong, in words, and the one action that helps. */
export function NoticeStrip({ notice: { tone, key, count, action } }: { notice: Notice }) {
  const { t } = useTranslation('home')
  const Icon = tone === 'error' ? CircleAlert : TriangleAlert
  return (
    <div role={tone === 'error' ? 'alert' : 'status'} className={classes.strip} data-tone={tone}>
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <p className={classes.text}>{t(`notice.${key}`, { count })}</p>
      {action && <Action action={action} />}
    </div>
  )
}

function Action({ action }: { action: NonNullable<Notice['action']> }) {
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
