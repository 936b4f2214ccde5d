import { useTranslation } from 'react-i18next'
import { Notice } from '@/ui/notice'
import { NoticeLink } from '@/ui/notice-link'
import type { Notice as What } from '../model'

/** What is wrong with one's access, and the one action that helps. */
export function NoticeStrip(props: {
  notice: What
  /** The service that a renewal is for; none where one of several has to be chosen. */
  renewId: number | null
}) {
  const { t } = useTranslation('home')
  const { tone, key, count, action } = props.notice
  const text = t(`notice.${key}`, { count })
  if (!action) return <Notice tone={tone}>{text}</Notice>
  return (
    <NoticeLink tone={tone} text={text} {...linkOf(action, props.renewId)}>
      {t(`action.${action}`)}
    </NoticeLink>
  )
}

function linkOf(action: NonNullable<What['action']>, renewId: number | null) {
  switch (action) {
    case 'renew':
      return renewId === null
        ? ({ to: '/user/services' } as const)
        : ({ to: '/user/services/buy', search: { renew: renewId } } as const)
    case 'buyPackage':
      return { to: '/user/services/buy', search: { kind: 'package' } } as const
    default:
      return { to: '/user/services/buy', search: {} } as const
  }
}
