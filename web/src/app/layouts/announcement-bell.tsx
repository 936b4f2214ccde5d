import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { unreadAnnouncements } from '@/lib/api/announcements'
import classes from './announcement-bell.module.css'

const MOST_SHOWN = 99

/** Leads to the announcements and says how many of them are new. */
export function AnnouncementBell() {
  const { t } = useTranslation()
  const { data } = useQuery({ ...unreadAnnouncements(), enabled: false })
  const count = data?.unread_count ?? 0
  const label = count > 0 ? t('announcements.unread', { count }) : t('nav.announcements')
  return (
    <Link
      to="/user/announcements/announcements"
      className={classes.bell}
      aria-label={label}
      title={label}
    >
      <Bell size={20} strokeWidth={1.75} aria-hidden="true" />
      {count > 0 && (
        <span className={classes.count} aria-hidden="true">
          {count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}
        </span>
      )}
    </Link>
  )
}
