import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import classes from './nav-list.module.css'
import { navigation } from './navigation'
import { UnreadCount } from './unread-count'

export function NavList({ onChoose }: { onChoose?: () => void }) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('nav.main')} className={classes.nav}>
      {navigation.map((group) => (
        <ul key={group[0]?.key} className={classes.group}>
          {group
            .filter(({ isOnlyFound }) => !isOnlyFound)
            .map(({ to, key, icon: Icon, isExact = false, hasUnread }) => (
              <li key={key}>
                <Link
                  to={to}
                  activeOptions={{ exact: isExact, includeSearch: false }}
                  className={classes.link}
                  onClick={onChoose}
                >
                  <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
                  {t(`nav.${key}`)}
                  {hasUnread && <UnreadCount />}
                </Link>
              </li>
            ))}
        </ul>
      ))}
    </nav>
  )
}
