import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import listClasses from '../layouts/nav-list.module.css'
import classes from './console.module.css'
import { useMenuPages } from './use-pages'

export function ConsoleNav({ onChoose }: { onChoose?: () => void }) {
  const { t } = useTranslation('console/shell')
  return (
    <nav aria-label={t('nav')} className={listClasses.nav}>
      {useMenuPages().map(({ group, pages }) => (
        <div key={group}>
          {group !== 'attention' && <p className={classes.group}>{t(`group.${group}`)}</p>}
          <ul className={listClasses.group}>
            {pages.map(({ to, key, icon: Icon }) => (
              <li key={key}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/admin', includeSearch: false }}
                  className={`${listClasses.link} ${classes.link}`}
                  onClick={onChoose}
                >
                  <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
                  {t(`page.${key}`)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
