import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffShareAccountAdd, staffShareAccountChange } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffShareAccount } from '@/lib/api/gen/staff/types.gen'
import { lazyPart } from '@/lib/lazy-part'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { ActionButton } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { type FormValues, ResourceForm } from '../parts/resource-form'
import { useLeave } from '../parts/use-leave'
import { requireFound } from '../parts/require-found'
import { shareAccountOf } from './resource'
import { blankShare, shareBody, shareValues, useShareSections } from './share-form'
import { useRotation } from './share-rotation'
import { ShareState } from './share-state'

// Its table is no part of the form of a new one.
const ShareViewers = lazyPart(() => import('./share-viewers'), 'ShareViewers')

const route = getRouteApi('/admin/share-accounts/$id')
const list = { to: '/admin/share-accounts' } as const

/** One share account: for whom it is, and who saw its secret. */
export function ShareAccountPage() {
  const { t } = useTranslation('console/support')
  const { id } = route.useParams()
  const query = useQuery(shareAccountOf(id))
  requireFound(query)
  const rotation = useRotation()
  return (
    <div data-wide>
      {query.data ? (
        <Header
          title={query.data.name}
          state={<ShareState account={query.data} />}
          about={t('shares.seenBy', { count: query.data.users })}
          primary={<ActionButton subject={query.data} action={rotation} />}
        />
      ) : (
        <PageHeader title={t('shares.one')} />
      )}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(account) => (account ? <Account key={id} account={account} /> : <Text>{t('gone')}</Text>)}
      </Loaded>
    </div>
  )
}

function Header(props: { title: string; state?: ReactNode; about?: string; primary?: ReactNode }) {
  const { t } = useTranslation('console/support')
  return <DetailHeader list={{ title: t('shares.title'), link: list }} {...props} />
}

function Account({ account }: { account: StaffShareAccount }) {
  const may = useMay()
  return (
    <Stack gap="lg">
      {may('shareaccount.write') && <Edit account={account} />}
      <Suspense>
        <ShareViewers account={account} />
      </Suspense>
    </Stack>
  )
}

function Edit({ account }: { account: StaffShareAccount }) {
  const { t } = useTranslation('console/support')
  const queryClient = useQueryClient()
  const leave = useLeave()
  // Of what the form shows, whatever is read meanwhile.
  const [read, setRead] = useState(account)
  const sections = useShareSections(read)
  const reload = async () => {
    const options = { ...shareAccountOf(String(read.id)), staleTime: 0 }
    const present = (await queryClient.fetchQuery(options)) ?? read
    setRead(present)
    return shareValues(present)
  }
  return (
    <ResourceForm
      draftKey={`share-account:${read.id}`}
      initial={shareValues(read)}
      sections={sections}
      submit={t('save')}
      save={(values) =>
        staffShareAccountChange({
          path: { account_id: read.id },
          headers: { 'If-Match': `"${read.version}"` },
          body: shareBody(values),
          throwOnError: true,
        })
      }
      reload={reload}
      onSaved={() => leave(list, t('saved', { name: read.name }))}
    />
  )
}

/** A new share account, with its secret. */
export function NewShareAccountPage() {
  const { t } = useTranslation('console/support')
  const sections = useShareSections()
  const leave = useLeave()
  const add = (values: FormValues) =>
    staffShareAccountAdd({
      body: {
        ...shareBody(values),
        password: String(values.password),
        ...(values.totp && { totp: String(values.totp) }),
      },
      throwOnError: true,
    })
  return (
    <div data-wide>
      <Header title={t('shares.new')} />
      <ResourceForm
        draftKey="share-account:new"
        initial={blankShare}
        isNew
        sections={sections}
        submit={t('save')}
        save={add}
        onSaved={() => leave(list, t('shares.added'))}
      />
    </div>
  )
}
