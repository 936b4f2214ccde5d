import { Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiKey } from '@/lib/api/gen/staff/types.gen'
import { CopyButton } from '@/ui/copy-button'
import { Moment } from '@/ui/moment'
import { Notice } from '@/ui/notice'
import { StatusDot } from '@/ui/status-dot'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import type { Column } from '../parts/resource'
import { type MadeSecret, useMaking, useRevoking, useRotation } from './actions'
import { apiKeys } from './resource'

/** Keys with which programs do what is staff's, each for the member who made it. */
export function ApiKeysPage() {
  const { t } = useTranslation('console/api-key')
  const [made, show] = useState<MadeSecret>()
  return (
    <Stack gap="md">
      {made && <SecretNotice made={made} />}
      <ListPage
        title={t('title')}
        about={t('about')}
        resource={apiKeys}
        columns={useColumns()}
        actions={[useRotation(show), useRevoking()]}
        nameOf={({ name }) => name}
        empty={t('empty')}
        action={<ActionButton subject={undefined} action={useMaking(show)} isPrimary />}
      />
    </Stack>
  )
}

function SecretNotice({ made: { name, secret } }: { made: MadeSecret }) {
  const { t } = useTranslation('console/api-key')
  if (secret === undefined) return <Notice tone="warning">{t('secretLost', { name })}</Notice>
  return (
    <Notice tone="warning" action={<CopyButton size="xs" text={secret} name={t('secret')} />}>
      {t('secretOnce', { name })} <code>{secret}</code>
    </Notice>
  )
}

function useColumns(): Column<ApiKey>[] {
  const { t } = useTranslation('console/api-key')
  return [
    {
      key: 'name',
      title: t('name'),
      place: 'title',
      cell: ({ name, hint }) => `${name} (${hint}…)`,
    },
    {
      key: 'scopes',
      title: t('scopes'),
      place: 'fact',
      cell: ({ scopes }) => scopes.map((scope) => t(`scope.${scope}`)).join(' · '),
    },
    { key: 'member', title: t('member'), place: 'fact', cell: ({ email }) => email },
    {
      key: 'state',
      title: t('state'),
      width: '9rem',
      place: 'state',
      cell: ({ works }) => (
        <StatusDot tone={works ? 'success' : 'error'}>{t(works ? 'works' : 'refused')}</StatusDot>
      ),
    },
    {
      key: 'used',
      title: t('used'),
      width: '12rem',
      cell: ({ last_used_at: time }) => (time ? <Moment time={time} withTime /> : t('neverUsed')),
    },
    {
      key: 'expires',
      title: t('expires'),
      width: '12rem',
      cell: ({ expires_at: time }) => (time ? <Moment time={time} withTime /> : t('never')),
    },
  ]
}
