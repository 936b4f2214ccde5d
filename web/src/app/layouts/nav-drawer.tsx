import { Link } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSiteName } from '@/lib/site-name'
import { Sheet } from '@/ui/sheet'
import { AccountMenu } from './account-menu'
import classes from './nav-drawer.module.css'
import { NavList } from './nav-list'
import list from './nav-list.module.css'

export function NavDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const siteName = useSiteName()
  return (
    <Sheet
      opened={opened}
      onClose={onClose}
      position="right"
      size={300}
      title={siteName}
      classNames={{ body: classes.body, content: classes.content }}
    >
      <NavList onChoose={onClose} />
      <div>
        <AccountMenu />
        <Link to="/auth/sign-out" preload={false} className={list.link}>
          <LogOut size={18} strokeWidth={1.75} aria-hidden="true" />
          {t('account.signOut')}
        </Link>
      </div>
    </Sheet>
  )
}
