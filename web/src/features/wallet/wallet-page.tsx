import { Card, Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { walletGetOptions } from '@/api/gen/@tanstack/react-query.gen'
import { ButtonLink } from '@/shared/ui/button-link'
import { Loaded } from '@/shared/ui/loaded'
import { PageHeader } from '@/shared/ui/page-header'
import { Balance } from './components/balance'
import { Movements } from './components/movements'
import { Recharges } from './components/recharges'
import classes from './wallet-page.module.css'

const route = getRouteApi('/user/wallet/')

/** The balance and where it came from and went to. */
export function WalletPage() {
  const { t } = useTranslation('wallet')
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const wallet = useQuery(walletGetOptions())
  return (
    <>
      <PageHeader
        title={t('title')}
        about={t('about')}
        action={<ButtonLink to="/user/wallet/recharge/new">{t('recharge')}</ButtonLink>}
      />
      <div className={classes.page}>
        <Loaded query={wallet} skeleton={<Skeleton height={126} radius="lg" />} hasCards>
          {(found) => <Balance wallet={found} />}
        </Loaded>
        <Card padding={0}>
          <Tabs
            value={tab}
            keepMounted={false}
            onChange={(value) =>
              void navigate({
                search: { tab: value === 'recharges' ? 'recharges' : 'movements' },
                replace: true,
                resetScroll: false,
              })
            }
          >
            <Tabs.List className={classes.tabs}>
              <Tabs.Tab value="movements">{t('tab.movements')}</Tabs.Tab>
              <Tabs.Tab value="recharges">{t('tab.recharges')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="movements">
              <Movements />
            </Tabs.Panel>
            <Tabs.Panel value="recharges">
              <Recharges />
            </Tabs.Panel>
          </Tabs>
        </Card>
      </div>
    </>
  )
}
