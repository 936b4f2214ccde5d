import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { useAccountActions } from './account-actions'
import { useBanActions } from './actions'
import { UserState } from './columns'
import { useGiftActions } from './gift-actions'
import { Notes } from './notes'
import { userOf } from './resource'
import { Bans, Packages, Services, UserFacts, Wallet } from './sections'
import { UserOrders } from './user-orders'
import classes from './users.module.css'

const route = getRouteApi('/admin/users/$id')

/** One user: what runs, what was bought, the money, the bans. */
export function UserPage() {
  const { t } = useTranslation('console/user')
  const { id } = route.useParams()
  const query = useQuery(userOf(id))
  return (
    <div data-wide>
      {query.data ? <Header user={query.data} /> : <PageHeader title={t('user')} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(user) => <User user={user} />}
      </Loaded>
    </div>
  )
}

function Header({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console/user')
  const name = user.email || `#${user.id}`
  const gifts = useGiftActions()
  const account = useAccountActions()
  const bans = useBanActions()
  return (
    <DetailHeader
      list={{ title: t('title'), link: { to: '/admin/users' } }}
      title={name}
      state={<UserState state={user.state} />}
      about={`#${user.id}`}
      menu={<ActionMenu subject={user} name={name} actions={[...gifts, ...account, ...bans]} />}
    />
  )
}

function User({ user }: { user: UserDetail }) {
  const may = useMay()
  return (
    <div className={classes.user}>
      <div className={classes.main}>
        <Services services={user.services} user={user.id} />
        {user.packages.length > 0 && <Packages packages={user.packages} />}
        {may('order.read') && <UserOrders id={user.id} />}
        {user.bans.length > 0 && <Bans bans={user.bans} />}
      </div>
      <div className={classes.main}>
        <UserFacts user={user} />
        <Wallet wallet={user.wallet} />
        {may('user.note') && <Notes id={user.id} />}
      </div>
    </div>
  )
}
