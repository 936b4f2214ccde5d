import { useTranslation } from 'react-i18next'
import { ButtonLink } from '@/shared/ui/button-link'
import { Notice } from '@/shared/ui/notice'
import type { Notice as What } from '../model'

/** What is wrong with one's access, and the one action that helps. */
export function NoticeStrip(props: {
  notice: What
  /** The service that a renewal is for; none where one of several has to be chosen. */
  renewId: number | null
}) {
  const { t } = useTranslation('home')
  const { tone, key, count, action } = props.notice
  return (
    <Notice tone={tone} action={action && <Action action={action} renewId={props.renewId} />}>
      {t(`notice.${key}`, { count })}
    </Notice>
  )
}

function Action(props: { action: NonNullable<What['action']>; renewId: number | null }) {
  const { t } = useTranslation('home')
  const { action, renewId } = props
  const text = t(`action.${action}`)
  if (action === 'renew' && renewId === null)
    return (
      <ButtonLink size="sm" to="/user/services">
        {text}
      </ButtonLink>
    )
  return (
    <ButtonLink
      size="sm"
      to="/user/services/buy"
      search={
        action === 'renew'
          ? { renew: renewId ?? undefined }
          : action === 'buyPackage'
            ? { kind: 'package' }
            : {}
      }
    >
      {text}
    </ButtonLink>
  )
}
