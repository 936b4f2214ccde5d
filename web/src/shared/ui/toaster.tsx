import '@mantine/core/styles/Notification.css'
import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'
import classes from './toaster.module.css'

/** The corner where toasts appear. */
export function Toaster() {
  return <Notifications position="bottom-right" limit={3} className={classes.corner} />
}
