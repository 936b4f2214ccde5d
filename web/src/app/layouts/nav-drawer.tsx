import { useSiteName } from '@/lib/site-name'
import { Sheet } from '@/ui/sheet'
import { AccountMenu } from './account-menu'
import classes from './nav-drawer.module.css'
import { NavList } from './nav-list'

export function NavDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
      <AccountMenu />
    </Sheet>
  )
}
