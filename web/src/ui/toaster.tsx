import '@mantine/core/styles/Notification.css'
import '@mantine/notifications/styles.css'
import { Notifications, notifications } from '@mantine/notifications'
import classes from './toaster.module.css'

export const { show: showToast, hide: hideToast } = notifications

/** The corner where toasts appear. */
export function Toaster() {
  return <Notifications position="bottom-right" limit={3} className={classes.corner} />
}
