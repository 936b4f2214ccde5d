import { useTranslation } from 'react-i18next'
import { NoticeLink } from '@/ui/notice-link'
import type { Notice } from '../model'

/** What is wrong with one's access, and the one action that helps. */
export function NoticeStrip(props: {
  notice: Notice
  /** The service that a renewal is for; none where one of several has to be chosen. */
  renewId: number | null
}) {
  const { t } = useTranslation('home')
  const { tone, key, count, action } = props.notice
  return (
    <NoticeLink tone={tone} text={t(`notice.${key}`, { count })} {...linkOf(action, props.renewId)}>
      {t(`action.${action}`)}
    </NoticeLink>
  )
}

function linkOf(action: Notice['action'], renewId: number | null) {
  if (action === 'buyPackage')
    return { to: '/user/services/buy', search: { kind: 'package' } } as const
  return renewId === null
    ? ({ to: '/user/services' } as const)
    : ({ to: '/user/services/buy', search: { renew: renewId } } as const)
}
