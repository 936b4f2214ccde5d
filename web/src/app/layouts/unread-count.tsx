import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ticketsUnreadOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import classes from './unread-count.module.css'

/** How many tickets have an answer that was not read; nothing where there is none, or where that is not known. */
export function UnreadCount() {
  const { t } = useTranslation()
  const { data } = useQuery({ ...ticketsUnreadOptions(), enabled: false })
  if (!data?.unread) return null
  return (
    <span className={classes.count}>
      <span aria-hidden="true">{data.unread > 99 ? '99+' : data.unread}</span>
      <VisuallyHidden>{t('nav.unread', { count: data.unread })}</VisuallyHidden>
    </span>
  )
}
