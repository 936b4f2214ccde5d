import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { dashboardGetOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { DashboardGetResponse } from '@/lib/api/gen/types.gen'
import { Bytes } from '@/ui/bytes'
import { Loaded } from '@/ui/loaded'
import { Money } from '@/ui/money'
import { ForSignedIn } from './components/for-signed-in'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'

/** The user at a glance. */
export function DashboardDemoPage() {
  return (
    <TestPage name="dashboard-demo">
      <ForSignedIn>
        <Figures />
      </ForSignedIn>
    </TestPage>
  )
}

function Figures() {
  const dashboard = useQuery(dashboardGetOptions())
  return (
    <Loaded query={dashboard} skeleton={<Skeleton height={140} radius="lg" />} hasCards>
      {(found) => <Cards dashboard={found} />}
    </Loaded>
  )
}

function Cards({ dashboard: { access, wallet } }: { dashboard: DashboardGetResponse }) {
  const { t } = useTranslation('demo')
  const left = access.remaining_bytes
  return (
    <div className={classes.grid}>
      <Figure name={t('left')}>{left === null ? t('unlimited') : <Bytes bytes={left} />}</Figure>
      <Figure name={t('today')}>
        <Bytes bytes={access.today_bytes} />
      </Figure>
      <Figure name={t('devices')}>{access.online_devices}</Figure>
      <Figure name={t('balance')}>
        <Money amount={wallet.balance} currency={wallet.currency} />
      </Figure>
    </div>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Part title={name}>
      <p className={classes.figure}>{children}</p>
    </Part>
  )
}
