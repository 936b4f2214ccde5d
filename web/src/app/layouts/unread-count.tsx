import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ticketsUnreadOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { useAfterLoad } from '@/lib/session/use-after-load'
import classes from './unread-count.module.css'

const REFRESH_MS = 60_000

/** How many tickets have an answer that was not read; nothing where there is none, or where that is not known. */
export function UnreadCount() {
  const { t } = useTranslation()
  const enabled = useAfterLoad()
  const { data } = useQuery({ ...ticketsUnreadOptions(), refetchInterval: REFRESH_MS, enabled })
  if (!data?.unread) return null
  return (
    <span className={classes.count}>
      <span aria-hidden="true">{data.unread > 99 ? '99+' : data.unread}</span>
      <VisuallyHidden>{t('nav.unread', { count: data.unread })}</VisuallyHidden>
    </span>
  )
}
