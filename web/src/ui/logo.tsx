import { useQuery } from '@tanstack/react-query'
import { siteOptions } from '@/lib/api/site'
import classes from './logo.module.css'

/** The mark alone: the site's own logo, or a runway, seen from the approach. */
function LogoMark({ size = 28 }: { size?: number }) {
  const { data: site } = useQuery(siteOptions())
  const own = site?.look.logo_url
  if (own) return <img src={own} alt="" height={size} className={classes.own} />
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className={classes.mark}>
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-tide-6)" />
      <path d="M13.4 6h5.2L24 26H8z" fill="#fff" />
      <path
        d="M15.5 9.2h1l.2 2.6h-1.4zM15.1 14.2h1.8l.3 3.2h-2.4zM14.6 20h2.8l.3 3.6h-3.4z"
        fill="var(--mantine-color-tide-6)"
      />
    </svg>
  )
}

export function Logo({ name }: { name: string }) {
  return (
    <span className={classes.logo}>
      <LogoMark />
      <span className={classes.name}>{name}</span>
    </span>
  )
}
