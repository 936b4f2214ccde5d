import { Button, Card, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type LucideIcon, Mail, Send } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { noticesTestMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { NoticeChannel, NoticesResult } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { ButtonLink } from '@/ui/button-link'
import { StatusDot } from '@/ui/status-dot'
import { toast } from '@/ui/toast'
import classes from '../notices.module.css'

/** The ways by which notices reach the user, each with a test. */
export function Channels({ notices }: { notices: NoticesResult }) {
  const { t } = useTranslation('notices')
  return (
    <Card component="section" aria-label={t('channels.title')} p={0}>
      <Title order={2} className={classes.heading}>
        {t('channels.title')}
      </Title>
      <ul className={classes.channels}>
        <Channel
          icon={Mail}
          name={t('channels.mail')}
          text={notices.email}
          action={<TestButton channel="mail" />}
        />
        {notices.telegram !== 'off' && <Telegram isLinked={notices.telegram === 'linked'} />}
      </ul>
    </Card>
  )
}

function Telegram({ isLinked }: { isLinked: boolean }) {
  const { t } = useTranslation('notices')
  return (
    <Channel
      icon={Send}
      name={t('channels.telegram')}
      state={
        <StatusDot tone={isLinked ? 'success' : 'neutral'}>
          {isLinked ? t('channels.linked') : t('channels.unlinked')}
        </StatusDot>
      }
      text={isLinked ? t('channels.linkedText') : t('channels.linkFirst')}
      action={
        isLinked ? (
          <TestButton channel="telegram" />
        ) : (
          <ButtonLink size="sm" variant="default" to="/user/account/security">
            {t('channels.link')}
          </ButtonLink>
        )
      }
    />
  )
}

export function Channel(props: {
  icon: LucideIcon
  name: string
  state?: ReactNode
  text: ReactNode
  action: ReactNode
  children?: ReactNode
}) {
  const { icon: Icon } = props
  return (
    <li className={classes.channel}>
      <Icon size={20} strokeWidth={1.75} aria-hidden="true" className={classes.icon} />
      <div className={classes.words}>
        <p className={classes.name}>
          {props.name}
          {props.state}
        </p>
        <div className={classes.text}>{props.text}</div>
        {props.children}
      </div>
      <div className={classes.action}>{props.action}</div>
    </li>
  )
}

export function TestButton({ channel }: { channel: NoticeChannel['channel'] }) {
  const { t } = useTranslation('notices')
  const { t: common } = useTranslation()
  const test = useMutation({
    ...noticesTestMutation(),
    onSuccess: () => void toast('success', t('channels.tested')),
    onError: (error) => void toast('error', problemText(error, common)),
  })
  return (
    <Button
      size="sm"
      variant="default"
      loading={test.isPending}
      aria-label={`${t('channels.test')} (${t(`channels.${channel}`)})`}
      onClick={() => test.mutate({ body: { channel } })}
    >
      {t('channels.test')}
    </Button>
  )
}
