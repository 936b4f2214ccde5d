import '../mantine-app-css'
import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Logo } from '@/ui/logo'
import { useSiteName } from '@/lib/site-name'
import { useSession } from '@/lib/session/current-session'
import { Footer } from './footer'
import { SiteMaintenance } from './maintenance'
import { LanguageButton, SchemeButton } from './preference-buttons'
import classes from './web-site-layout1.module.css'

/** Wide and without the sidebar: pages that stand on their own. */
export function WebSiteLayout1({ children }: { children?: ReactNode }) {
  const siteName = useSiteName()
  const isSignedIn = useSession().status === 'authenticated'
  return (
    <>
      <SiteMaintenance />
      <div className={classes.page}>
        <header className={classes.header}>
          <Link to={isSignedIn ? '/user/dashboard' : '/auth/sign-in'} className={classes.home}>
            <Logo name={siteName} />
          </Link>
          <span className={classes.preferences}>
            <LanguageButton />
            <SchemeButton />
          </span>
        </header>
        <main className={classes.content}>{children ?? <Outlet />}</main>
        <Footer />
      </div>
    </>
  )
}
