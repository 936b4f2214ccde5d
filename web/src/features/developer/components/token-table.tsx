import { Badge, Button } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { ApiToken } from '@/lib/api/gen/types.gen'
import { useNow } from '@/lib/now'
import { type Column, DataTable } from '@/ui/data-table'
import { Moment } from '@/ui/moment'
import { StatusDot, type Tone } from '@/ui/status-dot'
import { type Scope, stateOf, type TokenState } from '../model'
import classes from './tokens.module.css'

const tones: Record<TokenState, Tone> = {
  active: 'success',
  expiring: 'warning',
  expired: 'neutral',
}

export function TokenTable(props: {
  tokens: readonly ApiToken[]
  onRevoke: (token: ApiToken) => void
}) {
  const { t } = useTranslation('developer')
  return (
    <DataTable
      caption={t('tab.tokens')}
      columns={columnsIn(t, props.onRevoke)}
      rows={props.tokens}
      rowKey={({ id }) => id}
    />
  )
}

const columnsIn = (
  t: TFunction<'developer'>,
  onRevoke: (token: ApiToken) => void,
): Column<ApiToken>[] => [
  {
    key: 'name',
    header: t('tokens.name'),
    isTitle: true,
    cell: ({ name, hint }) => (
      <span className={classes.name}>
        {name}
        <span className={classes.hint}>{`${hint}…`}</span>
      </span>
    ),
  },
  {
    key: 'scopes',
    header: t('tokens.scopes'),
    cell: ({ scopes }) => (
      <span className={classes.scopes}>
        {scopes.map((scope) => (
          <Badge key={scope} variant="light" tt="none">
            {t(`scope.${scope as Scope}`)}
          </Badge>
        ))}
      </span>
    ),
  },
  { key: 'end', header: t('tokens.end'), cell: (token) => <End token={token} /> },
  {
    key: 'used',
    header: t('tokens.used'),
    cell: ({ last_used_at: used }) =>
      used ? <Moment time={used} withTime /> : t('tokens.neverUsed'),
  },
  {
    key: 'revoke',
    header: t('tokens.actions'),
    align: 'end',
    cell: (token) => (
      <Button
        variant="subtle"
        color="red"
        size="sm"
        aria-label={t('tokens.revokeTitle', { name: token.name })}
        onClick={() => onRevoke(token)}
      >
        {t('tokens.revoke')}
      </Button>
    ),
  },
]

function End({ token }: { token: ApiToken }) {
  const { t } = useTranslation('developer')
  const state = stateOf(token, useNow(60_000))
  return (
    <StatusDot tone={tones[state]}>
      {state === 'expired' && t('tokens.ended')}
      {token.expires_at === null ? t('tokens.never') : <Moment time={token.expires_at} isEnd />}
    </StatusDot>
  )
}
