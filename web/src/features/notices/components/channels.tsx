import { Card, Title } from '@mantine/core'
import { Mail, Send } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { NoticesResult } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { StatusDot } from '@/ui/status-dot'
import { Channel, TestButton } from './channel'
import { Push } from './push'
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
        <Push />
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
