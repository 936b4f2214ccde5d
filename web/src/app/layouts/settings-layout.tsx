import { useSession } from '@/lib/session/current-session'
import { DefaultLayout } from './default-layout'
import { WebSiteLayout1 } from './web-site-layout1'

/** The shell of a page that is open to everybody: a visitor gets neither a user's menu nor links that need a sign-in. */
export function SettingsLayout() {
  return useSession().status === 'authenticated' ? <DefaultLayout /> : <WebSiteLayout1 />
}
