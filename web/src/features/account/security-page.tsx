import { Card, Switch, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, type LucideIcon, Mail, Send, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import {
  accountMeOptions,
  accountSecurityOptions,
  accountSecurityQueryKey,
  accountSecuritySetMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { AccountSecurityResponse } from '@/lib/api/gen/types.gen'
import { siteOptions } from '@/lib/api/site'
import { problemText } from '@/lib/server-problem'
import { ButtonLink } from '@/ui/button-link'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Outline } from '@/ui/outline'
import { PageHeader } from '@/ui/page-header'
import { StatusDot, type Tone } from '@/ui/status-dot'
import { Passkeys } from './components/passkeys'
import { Sessions } from './components/sessions'
import { TelegramActions } from './components/telegram-actions'
import { TwoFactorActions } from './components/two-factor-actions'
import pages from './account-pages.module.css'
import classes from './security-page.module.css'

/** What protects the account, in order of importance, and where one is signed in. */
export function SecurityPage() {
  const { t } = useTranslation('security')
  const { t: passkey } = useTranslation('passkey')
  const security = useQuery(accountSecurityOptions())
  const me = useQuery(accountMeOptions())
  const { data: site } = useQuery(siteOptions())
  return (
    <>
      <PageHeader title={t('security.title')} about={t('security.about')} />
      <div className={pages.page}>
        <Loaded query={security} skeleton={<ProtectionsOutline />} hasCards>
          {(found) =>
            me.isPending && me.failureCount === 0 ? (
              <ProtectionsOutline />
            ) : (
              <Protections security={found} isLinked={me.data?.telegram_linked} />
            )
          }
        </Loaded>
        {site?.passkeys && !security.isError && (
          <section aria-labelledby="passkeys-title">
            <Title order={2} size="h3" id="passkeys-title" mb="sm">
              {passkey('title')}
            </Title>
            <Passkeys needsCode={security.data?.ga_enable} />
          </section>
        )}
        <section aria-labelledby="sessions-title">
          <Title order={2} size="h3" id="sessions-title" mb="sm">
            {t('sessions.title')}
          </Title>
          <Sessions />
        </section>
      </div>
    </>
  )
}

const unprotected: AccountSecurityResponse = {
  email_notification: true,
  ga_enable: false,
  ga_enabled_at: null,
  password_changed_at: '2026-01-01T00:00:00Z',
  recovery_codes_left: 0,
}

function ProtectionsOutline() {
  return (
    <Outline>
      <Protections security={unprotected} isLinked={false} />
    </Outline>
  )
}

function Protections(props: {
  security: AccountSecurityResponse
  /** Whether a Telegram account is, where that is known. */
  isLinked: boolean | undefined
}) {
  const { t } = useTranslation('security')
  const { security, isLinked } = props
  const { ga_enable, recovery_codes_left, password_changed_at } = security
  return (
    <Card padding={0} component="ul" className={classes.protections}>
      <Protection
        icon={KeyRound}
        title={t('password.name')}
        tone="success"
        state={t('password.set')}
        text={
          <>
            {t('password.changed')}
            <Moment time={password_changed_at} />
          </>
        }
        action={
          <ButtonLink size="sm" variant="default" to="/user/account/edit-password">
            {t('password.change')}
          </ButtonLink>
        }
      />
      <Protection
        icon={ShieldCheck}
        title={t('twoFactor.name')}
        tone={ga_enable ? 'success' : 'warning'}
        state={ga_enable ? t('on') : t('off')}
        text={
          ga_enable ? t('twoFactor.left', { count: recovery_codes_left }) : t('twoFactor.about')
        }
        action={<TwoFactorActions isOn={ga_enable} />}
      />
      {isLinked !== undefined && <Telegram isLinked={isLinked} />}
      <Notices isOn={security.email_notification} />
    </Card>
  )
}

function Protection(props: {
  icon: LucideIcon
  title: string
  tone: Tone
  state: string
  text: ReactNode
  action: ReactNode
}) {
  const { icon: Icon } = props
  return (
    <li className={classes.protection}>
      <Icon size={20} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <div className={classes.words}>
        <p className={classes.name}>
          {props.title}
          <StatusDot tone={props.tone}>{props.state}</StatusDot>
        </p>
        <div className={classes.text}>{props.text}</div>
      </div>
      <div className={classes.action}>{props.action}</div>
    </li>
  )
}

/** Shown where the site has a bot; what is linked already can be unlinked without one. */
function Telegram({ isLinked }: { isLinked: boolean }) {
  const { t } = useTranslation('telegram')
  const { data: site } = useQuery(siteOptions())
  if (!site?.telegram && !isLinked) return null
  return (
    <Protection
      icon={Send}
      title={t('link.name')}
      tone={isLinked ? 'success' : 'neutral'}
      state={isLinked ? t('link.linked') : t('link.notLinked')}
      text={t('link.about')}
      action={<TelegramActions isLinked={isLinked} />}
    />
  )
}

function Notices({ isOn }: { isOn: boolean }) {
  const { t } = useTranslation('security')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const set = useMutation({
    ...accountSecuritySetMutation(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: accountSecurityQueryKey() }),
  })
  const wanted = set.isPending ? set.variables.body.email_notification : isOn
  return (
    <Protection
      icon={Mail}
      title={t('notices.name')}
      tone={isOn ? 'success' : 'neutral'}
      state={isOn ? t('on') : t('off')}
      text={
        <>
          {t('notices.about')}
          {set.error && <FormError message={problemText(set.error, common)} />}
        </>
      }
      action={
        <Switch
          aria-label={t('notices.name')}
          checked={wanted ?? isOn}
          onChange={(event) =>
            set.mutate({ body: { email_notification: event.currentTarget.checked } })
          }
        />
      }
    />
  )
}
