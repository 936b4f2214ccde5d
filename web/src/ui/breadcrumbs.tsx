import { Link, useLocation } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { paths } from '@/lib/constants'
import classes from './breadcrumbs.module.css'

/** The pages that have others below them, outer ones first. */
const parents = [
  { below: '/user/account/', to: paths.myAccount, key: 'account' },
  { below: '/user/audit/', to: '/user/audit', key: 'audit' },
  { below: '/user/guides/', to: '/user/guides', key: 'guides' },
  { below: '/user/services/', to: '/user/services', key: 'services' },
  { below: '/user/shop-old/', to: '/user/shop-old', key: 'shopOld' },
  { below: '/user/wallet/', to: '/user/wallet', key: 'wallet' },
  { below: '/user/wallet/recharge/', to: '/user/wallet/recharge', key: 'recharges' },
  { below: '/user/wallet/billing/', to: '/user/wallet/billing', key: 'billing' },
] as const

/** The way back up, on the pages that lie below another one; on all others nothing. */
export function Breadcrumbs({ current }: { current: string }) {
  const { t } = useTranslation()
  const path = useLocation({ select: ({ pathname }) => pathname })
  const above = parents.filter(({ below }) => path.startsWith(below) && path !== below)
  if (above.length === 0) return null
  return (
    <nav aria-label={t('nav.above')}>
      <ol className={classes.trail}>
        {above.map(({ to, key }) => (
          <li key={to}>
            <Link to={to} className={classes.link}>
              {t(`nav.${key}`)}
            </Link>
            <ChevronRight size={14} strokeWidth={1.75} aria-hidden="true" />
          </li>
        ))}
        <li aria-current="page">{current}</li>
      </ol>
    </nav>
  )
}
