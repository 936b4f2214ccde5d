import { UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleUser } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from './bottom-bar.module.css'
import { navigation } from './navigation'
import { UnreadCount } from './unread-count'

/** Under 600 px: the four pages people need most, and the menu with all the rest. */
export function BottomBar({ onOpenMenu }: { onOpenMenu: () => void }) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('nav.quick')} className={classes.bar}>
      {navigation.flat().map(
        ({ to, key, icon: Icon, isOnBottomBar, hasUnread }) =>
          isOnBottomBar && (
            <Link key={key} to={to} className={classes.item}>
              <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
              {t(`nav.${key}`)}
              {hasUnread && (
                <span className={classes.count}>
                  <UnreadCount />
                </span>
              )}
            </Link>
          ),
      )}
      <UnstyledButton className={classes.item} onClick={onOpenMenu}>
        <CircleUser size={20} strokeWidth={1.75} aria-hidden="true" />
        {t('nav.me')}
      </UnstyledButton>
    </nav>
  )
}
