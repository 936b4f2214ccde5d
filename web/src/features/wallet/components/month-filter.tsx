import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { siteOptions } from '@/lib/api/site'
import { useNow } from '@/lib/now'
import { monthName, monthsSince } from '../model'

const route = getRouteApi('/user/wallet/billing/')

/** Filters by month since the wallet was opened, in the site's calendar. The choice is a search parameter. */
export function MonthFilter() {
  const { t, i18n } = useTranslation('wallet')
  const { month } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: wallet } = useQuery(walletGetOptions())
  const { data: site } = useQuery(siteOptions())
  const now = useNow()
  const known =
    wallet && site ? monthsSince(wallet.created_at, now, site.time_zone) : month ? [month] : []
  const months = month && !known.includes(month) ? [month, ...known] : known
  return (
    <NativeSelect
      aria-label={t('billing.month')}
      value={month ?? ''}
      onChange={({ currentTarget: { value } }) =>
        void navigate({ search: { month: value || undefined }, replace: true, resetScroll: false })
      }
      data={[
        { value: '', label: t('billing.allMonths') },
        ...months.map((value) => ({ value, label: monthName(value, i18n.language) })),
      ]}
    />
  )
}
