import { Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Logo } from '@/shared/ui/logo'
import { useSiteName } from '@/shared/lib/site-name'
import { Footer } from './footer'
import { LanguageButton, SchemeButton } from './preference-buttons'
import { Runway } from './runway'
import classes from './web-site-layout2.module.css'

/** One column of 400 px on the runway: signing in and up, about. */
export function WebSiteLayout2({ children }: { children?: ReactNode }) {
  const siteName = useSiteName()
  return (
    <div className={classes.page}>
      <Runway />
      <header className={classes.header}>
        <Link to="/auth/sign-in" className={classes.home}>
          <Logo name={siteName} />
        </Link>
        <span className={classes.preferences}>
          <LanguageButton />
          <SchemeButton />
        </span>
      </header>
      <main className={classes.column}>{children ?? <Outlet />}</main>
      <Footer />
    </div>
  )
}
