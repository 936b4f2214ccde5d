import { useSiteName } from '@/shared/lib/site-name'
import classes from './footer.module.css'

export function Footer() {
  const siteName = useSiteName()
  return <footer className={classes.footer}>2020-2025 {siteName}</footer>
}
