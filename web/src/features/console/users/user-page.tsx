import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Merge as MergeIcon } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserDetail } from '@/lib/api/gen/staff/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import type { Action } from '../parts/action'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader, useTab } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { FirstLoad } from '../parts/first-load'
import { useNeighbours } from '../parts/use-neighbours'
import { useTyped } from '../parts/use-typed'
import { requireFound } from '../parts/require-found'
import { personText } from '../parts/person-text'
import { useAccountActions } from './account-actions'
import { useBanActions } from './actions'
import { UserState } from './columns'
import { useGiftActions } from './gift-actions'
import { Notes } from './notes'
import { ordersOf, userOf, users } from './resource'
import { Bans, Packages, Services, UserFacts, Wallet } from './sections'
import { UserOrders } from './user-orders'
import classes from './users.module.css'

const UserAccess = lazyPart(() => import('./user-access'), 'UserAccess')
const UserHistory = lazyPart(() => import('./user-history'), 'UserHistory')
const MergeDialog = lazyPart(() => import('./merge-dialog'), 'MergeDialog')
const UserMoney = lazyPart(() => import('./user-money'), 'UserMoney')

const route = getRouteApi('/admin/users/$id')
const skeleton = <Skeleton height={480} radius="lg" />

/** One user: what runs, what was bought, the money, the bans. */
export function UserPage() {
  const { t } = useTranslation('console/user')
  const { id } = route.useParams()
  const query = useQuery(userOf(id))
  requireFound(query)
  return (
    <div data-wide>
      {query.data ? <Header user={query.data} /> : <PageHeader title={t('user')} />}
      <Loaded query={query} skeleton={skeleton} hasCards>
        {(user) => <User user={user} />}
      </Loaded>
    </div>
  )
}

/** What of a user is read only when it is looked at, each where the member may read some of it. */
function useTabs() {
  const { t } = useTranslation('console/user-tabs')
  const may = useMay()
  const shown = {
    now: true,
    money: true,
    access: may('user.history.read'),
    history: may('ticket.read') || may('audit.read'),
  }
  return (['now', 'money', 'access', 'history'] as const)
    .filter((key) => shown[key])
    .map((key) => ({ key, title: t(`tab.${key}`) }))
}

function Header({ user }: { user: UserDetail }) {
  const { t } = useTranslation('console/user')
  const name = personText(user)
  const gifts = useGiftActions()
  const account = useAccountActions()
  const bans = useBanActions()
  const [merges, setMerges] = useState(false)
  const typed = useTyped()
  const merge = useMergeStart(() => setMerges(true))
  return (
    <>
      <DetailHeader
        list={{ title: t('title'), link: { to: '/admin/users' } }}
        title={name}
        state={<UserState state={user.state} />}
        about={`#${user.id}`}
        menu={
          <ActionMenu subject={user} name={name} actions={[...gifts, ...account, merge, ...bans]} />
        }
        neighbours={useNeighbours(users, user.id, (id) => ({
          to: '/admin/users/$id',
          params: { id },
        }))}
        tabs={useTabs()}
      />
      {merges && (
        <Suspense>
          <MergeDialog user={user} typed={typed} onClose={() => setMerges(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Opens the dialog in which the other account is chosen before anything is confirmed. */
function useMergeStart(open: () => void): Action<UserDetail> {
  const { t } = useTranslation('console/user-actions')
  return {
    key: 'merge',
    icon: MergeIcon,
    title: t('merge.title'),
    permission: 'user.merge',
    danger: 'U',
    leads: true,
    isShown: ({ state, role }) => state !== 'closed' && !role,
    effect: () => '',
    run: () => Promise.resolve(open()),
    done: () => '',
  }
}

function User({ user }: { user: UserDetail }) {
  const may = useMay()
  const tab = useTab(useTabs())
  const { isLoading } = useQuery({
    ...ordersOf(user.id),
    enabled: tab === 'now' && may('order.read'),
  })
  return (
    <FirstLoad isLoading={isLoading}>
      <div className={classes.user}>
        <div className={classes.main}>
          {tab === 'now' && (
            <>
              <Services services={user.services} user={user.id} />
              {user.packages.length > 0 && <Packages packages={user.packages} />}
              {may('order.read') && <UserOrders id={user.id} />}
              {user.bans.length > 0 && <Bans bans={user.bans} />}
            </>
          )}
          <Suspense fallback={skeleton}>
            {tab === 'money' && <UserMoney id={user.id} />}
            {tab === 'access' && <UserAccess id={user.id} />}
            {tab === 'history' && <UserHistory id={user.id} />}
          </Suspense>
        </div>
        <div className={classes.main}>
          <UserFacts user={user} />
          <Wallet wallet={user.wallet} />
          {may('user.note') && <Notes id={user.id} />}
        </div>
      </div>
    </FirstLoad>
  )
}
