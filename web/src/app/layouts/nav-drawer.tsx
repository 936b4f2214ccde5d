import { Drawer } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSiteName } from '@/shared/lib/site-name'
import { AccountMenu } from './account-menu'
import classes from './nav-drawer.module.css'
import { NavList } from './nav-list'

export function NavDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const siteName = useSiteName()
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={300}
      title={siteName}
      closeButtonProps={{ 'aria-label': t('close') }}
      classNames={{ body: classes.body, content: classes.content }}
    >
      <NavList onChoose={onClose} />
      <AccountMenu />
    </Drawer>
  )
}
