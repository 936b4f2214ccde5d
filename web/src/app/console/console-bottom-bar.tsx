import { UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from '../layouts/bottom-bar.module.css'
import { usePages } from './use-pages'

/** Under 600 px: what is urgent, and the menu with all the rest. */
export function ConsoleBottomBar({ onOpenMenu }: { onOpenMenu: () => void }) {
  const { t } = useTranslation('console/shell')
  const { t: common } = useTranslation()
  const pages = usePages()
    .flatMap((group) => group.pages)
    .filter(({ isOnBottomBar }) => isOnBottomBar)
  return (
    <nav aria-label={common('nav.quick')} className={classes.bar}>
      {pages.map(({ to, key, icon: Icon }) => (
        <Link
          key={key}
          to={to}
          activeOptions={{ exact: to === '/admin', includeSearch: false }}
          className={classes.item}
        >
          <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
          {t(`page.${key}`)}
        </Link>
      ))}
      <UnstyledButton className={classes.item} onClick={onOpenMenu}>
        <Ellipsis size={20} strokeWidth={1.75} aria-hidden="true" />
        {t('more')}
      </UnstyledButton>
    </nav>
  )
}
