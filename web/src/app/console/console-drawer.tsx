import { useSiteName } from '@/lib/site-name'
import { Sheet } from '@/ui/sheet'
import { AccountMenu } from '../layouts/account-menu'
import { ConsoleNav } from './console-nav'
import classes from './console.module.css'

export function ConsoleDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const siteName = useSiteName()
  return (
    <Sheet
      opened={opened}
      onClose={onClose}
      position="right"
      size={300}
      title={siteName}
      classNames={{ body: classes.drawerBody, content: classes.drawer }}
    >
      <ConsoleNav onChoose={onClose} />
      <AccountMenu />
    </Sheet>
  )
}
