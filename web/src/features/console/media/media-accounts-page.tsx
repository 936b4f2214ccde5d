import { Box } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { MediaAccount } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Notice } from '@/ui/notice'
import { TextLink } from '@/ui/text-link'
import { ActionButton } from '../parts/action-runner'
import type { Filter } from '../parts/filters'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { nameOf, useMediaActions, useNewAccount } from './actions'
import { isSetUpQuery, mediaAccounts } from './resource'
import { Standing, standings } from './standing'

/** The accounts of users on the operator's media server. */
export function MediaAccountsPage() {
  const { t } = useTranslation('console/media')
  const { data: isSetUp, isLoading } = useQuery(isSetUpQuery())
  const making = useNewAccount()
  return (
    <ListPage
      title={t('title')}
      about={t('about')}
      resource={mediaAccounts}
      columns={useColumns()}
      filters={[useStandingFilter()]}
      search={{ key: 'q', label: t('search') }}
      link={({ user_id: id }) => ({ to: '/admin/users/$id', params: { id: String(id) } })}
      actions={useMediaActions()}
      nameOf={nameOf}
      empty={t('empty')}
      action={isSetUp && <ActionButton subject={undefined} action={making} isPrimary />}
      above={isSetUp === false && <NotSetUp />}
      isWaiting={isLoading}
    />
  )
}

/** Says which settings the site lacks. */
function NotSetUp() {
  const { t } = useTranslation('console/media')
  const may = useMay()
  return (
    <Box mb="md">
      <Notice
        tone="warning"
        action={
          may('setting.read') && (
            <TextLink to="/admin/settings" search={{ q: 'emby' } as never}>
              {t('settings')}
            </TextLink>
          )
        }
      >
        {t('notSetUp')}
      </Notice>
    </Box>
  )
}

function useStandingFilter(): Filter {
  const { t } = useTranslation('console/media')
  return {
    key: 'standing',
    title: t('column.state'),
    kind: 'choice',
    isSingle: true,
    options: standings.map((value) => ({ value, label: t(`standing.${value}`) })),
  }
}

function useColumns(): Column<MediaAccount>[] {
  const { t } = useTranslation('console/media')
  return [
    { key: 'user', title: t('column.user'), place: 'title', width: '13rem', cell: nameOf },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '10rem',
      cell: (account) => <Standing account={account} />,
    },
    {
      key: 'decides',
      title: t('column.decides'),
      place: 'fact',
      width: '7rem',
      cell: ({ is_held: isHeld }) => t(isHeld ? 'decides.staff' : 'decides.plan'),
    },
    {
      key: 'allowed',
      title: t('column.allowed'),
      width: '7rem',
      cell: ({ is_allowed: isAllowed }) => t(isAllowed ? 'allowed.yes' : 'allowed.no'),
    },
    {
      key: 'since',
      title: t('column.since'),
      place: 'fact',
      width: '12rem',
      cell: ({ updated_at: time }) => <Moment time={time} withTime />,
    },
    { key: 'error', title: t('column.error'), cell: ({ last_error: error }) => error || '—' },
    {
      key: 'name',
      title: t('column.name'),
      width: '9rem',
      isExtra: true,
      cell: ({ name }) => name,
    },
    {
      key: 'created',
      title: t('column.created'),
      width: '12rem',
      isExtra: true,
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
