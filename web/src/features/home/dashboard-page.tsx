import { Card, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  dashboardGetOptions,
  linkTokenGetOptions,
  nodesListOptions,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { WaitForQueries } from '@/ui/wait-for-queries'
import { AnnouncementsCard } from './components/announcements-card'
import { CheckInCard } from './components/check-in-card'
import { ConnectionCard } from './components/connection-card'
import { NodesCard } from './components/nodes-card'
import { TrafficCard } from './components/traffic-card'
import { WalletCard } from './components/wallet-card'
import classes from './dashboard-page.module.css'

const REFETCH_MS = 60_000

/** The home page: connect a device, see what is left, pay. */
export function DashboardPage() {
  const { t } = useTranslation()
  const dashboard = useQuery({ ...dashboardGetOptions(), refetchInterval: REFETCH_MS })
  // What the link and the nodes have to say is above what is left, and would push it down.
  const others = [useQuery(linkTokenGetOptions()), useQuery(nodesListOptions())]
  return (
    <>
      <PageHeader title={t('nav.dashboard')} />
      <div className={classes.grid}>
        <Loaded query={dashboard} skeleton={<TopSkeleton />} hasCards>
          {({ access, ban, wallet }) => (
            <WaitForQueries queries={others} skeleton={<TopSkeleton />}>
              <div className={classes.main}>
                <ConnectionCard access={access} ban={ban} />
              </div>
              <WalletCard wallet={wallet} isBanned={access.state === 'banned'} />
            </WaitForQueries>
          )}
        </Loaded>
        <CheckInCard />
        <div className={classes.wide}>
          <TrafficCard />
        </div>
        <div className={classes.wide}>
          <NodesCard />
        </div>
        <div className={classes.wide}>
          <AnnouncementsCard />
        </div>
      </div>
    </>
  )
}

function TopSkeleton() {
  return (
    <>
      <Card className={`${classes.main} ${classes.loading}`}>
        <Skeleton height={24} width={120} />
        <Skeleton height={48} width={220} mt={28} />
        <Skeleton height={6} mt={16} />
        <Skeleton height={44} mt={16} />
        <Skeleton height={42} mt={24} />
        <Skeleton height={42} mt={12} />
      </Card>
      <Card className={classes.loading}>
        <Skeleton height={24} width={80} />
        <Skeleton height={38} width={140} mt={16} />
        <Skeleton height={42} mt={16} />
      </Card>
    </>
  )
}
