import { Link, Outlet } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { Logo } from '@/ui/logo'
import { useSiteName } from '@/lib/site-name'
import { Footer } from './footer'
import { SiteMaintenance } from './maintenance'
import { LanguageButton, SchemeButton } from './preference-buttons'
import classes from './web-site-layout2.module.css'

// The background comes when the page is there, and where it is lost the page does without.
const Runway = lazy<ComponentType>(() =>
  import('./runway').then(
    (runway) => ({ default: runway.Runway }),
    () => ({ default: () => null }),
  ),
)

/** One column of 400 px on the runway: signing in and up, about. `isWide` makes it one for long texts. */
export function WebSiteLayout2(props: { children?: ReactNode; isWide?: boolean }) {
  const siteName = useSiteName()
  return (
    <>
      <SiteMaintenance />
      <div className={classes.page}>
        <Suspense>
          <Runway />
        </Suspense>
        <header className={classes.header}>
          <Link to="/auth/sign-in" className={classes.home}>
            <Logo name={siteName} />
          </Link>
          <span className={classes.preferences}>
            <LanguageButton />
            <SchemeButton />
          </span>
        </header>
        <main className={classes.column} data-wide={props.isWide}>
          {props.children ?? <Outlet />}
        </main>
        <Footer />
      </div>
    </>
  )
}
