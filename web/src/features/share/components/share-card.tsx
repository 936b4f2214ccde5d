import { Button, Card, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  shareAccountSecretMutation,
  shareAccountsQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { ShareAccount } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { CopyButton } from '@/ui/copy-button'
import { Fact } from '@/ui/fact'
import { FormError } from '@/ui/form-error'
import { Moment } from '@/ui/moment'
import { Notice } from '@/ui/notice'
import { StatusDot } from '@/ui/status-dot'
import classes from '../share.module.css'
import { Passcode } from './passcode'

/** One share account; its secret is asked for when the user wants to see it, and forgotten when it is hidden. */
export function ShareCard({ share }: { share: ShareAccount }) {
  const { t } = useTranslation('share')
  const { t: common } = useTranslation()
  const queries = useQueryClient()
  const secret = useMutation({
    ...shareAccountSecretMutation(),
    // Who had not seen it yet counts from now on.
    onSuccess: () => queries.invalidateQueries({ queryKey: shareAccountsQueryKey() }),
  })
  const path = { account_id: share.account_id }
  const isFull = share.status === 'full'
  return (
    <Card component="article" aria-label={share.account_name} className={classes.card}>
      <header className={classes.head}>
        <Title order={2} size="h3" className={classes.name}>
          {share.account_name}
        </Title>
        <StatusDot tone={isFull ? 'warning' : 'success'}>{t(share.status)}</StatusDot>
      </header>
      {share.note && <p className={classes.note}>{share.note}</p>}
      <Facts share={share} />
      {share.is_replaced && !secret.data && <Notice tone="warning">{t('replaced')}</Notice>}
      {isFull && <p className={classes.quiet}>{t('fullText')}</p>}
      {secret.data && <Credentials {...secret.data} />}
      <FormError message={secret.error ? problemText(secret.error, common) : undefined} />
      <div className={classes.actions}>
        {secret.data ? (
          <Button variant="default" onClick={() => secret.reset()}>
            {t('hide')}
          </Button>
        ) : (
          <Button
            loading={secret.isPending}
            disabled={isFull}
            onClick={() => secret.mutate({ path })}
          >
            {t('show')}
          </Button>
        )}
        {share.url && (
          <Button
            component="a"
            variant="default"
            href={share.url}
            target="_blank"
            rel="noreferrer"
            aria-label={t('openNamed', { name: share.account_name })}
          >
            {t('open')}
          </Button>
        )}
      </div>
      {share.has_totp && !isFull && <Passcode id={share.account_id} />}
    </Card>
  )
}

function Facts({ share }: { share: ShareAccount }) {
  const { t } = useTranslation('share')
  const { current_users: count, max_users: max } = share
  return (
    <p className={classes.quiet}>
      {t('until')} <Moment time={share.expire_time} withYear isEnd /> ·{' '}
      {max > 0 ? t('users', { count, max }) : t('usersOpen', { count })}
    </p>
  )
}

function Credentials({ login, password }: { login: string; password: string }) {
  const { t } = useTranslation('share')
  return (
    <>
      <dl className={classes.facts}>
        {login && (
          <Fact name={t('login')}>
            <span className={classes.secret}>{login}</span>
            <CopyButton size="sm" text={login} name={t('login')} />
          </Fact>
        )}
        <Fact name={t('password')}>
          <span className={classes.secret}>{password}</span>
          <CopyButton size="sm" text={password} name={t('password')} />
        </Fact>
      </dl>
      <p className={classes.quiet}>{t('logged')}</p>
    </>
  )
}
