import { Button, Card, Group, Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MailResult } from '@/lib/api/gen/staff/types.gen'
import { Fact } from '@/ui/fact'
import { Facts } from '@/ui/facts'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { ActionButton } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { Letter } from './letter'
import { mailTones, useMailRetry } from './mails-page'
import { mailOf } from './resources'
import { useKind } from './use-kind'

const route = getRouteApi('/admin/mails/$id')

/** One mail: what became of it, and what it says as long as that is kept. */
export function MailPage() {
  const { t } = useTranslation('console/mail')
  const { id } = route.useParams()
  const [withCode, setWithCode] = useState(false)
  const query = useQuery(mailOf(id, withCode))
  const retry = useMailRetry()
  const mail = query.data
  return (
    <div data-wide>
      <DetailHeader
        list={{ title: t('mails.title'), link: { to: '/admin/mails' } }}
        title={mail?.recipient ?? t('mails.one')}
        about={`#${id}`}
        {...(mail && {
          state: <StatusDot tone={mailTones[mail.state]}>{t(`mails.${mail.state}`)}</StatusDot>,
          primary: <ActionButton subject={mail} action={retry} />,
        })}
      />
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {(one) => (
          <>
            <MailFacts mail={one} />
            <Words mail={one} onShowCode={() => setWithCode(true)} />
          </>
        )}
      </Loaded>
    </div>
  )
}

function MailFacts({ mail }: { mail: MailResult }) {
  const { t } = useTranslation('console/mail')
  const kindName = useKind()
  const may = useMay()
  return (
    <Card mb="md">
      <Facts>
        <Fact name={t('mails.kind')}>
          {may('mail.template.read') ? (
            <TextLink
              to="/admin/mail-templates/$kind"
              params={{ kind: mail.kind }}
              search={{ text: mail.lang } as never}
            >
              {kindName(mail.kind)}
            </TextLink>
          ) : (
            kindName(mail.kind)
          )}
        </Fact>
        <Fact name={t('mails.lang')}>{t(`language.${mail.lang}`)}</Fact>
        <Fact name={t('tries')}>{mail.tries}</Fact>
        <Fact name={t('mails.created')}>
          <Moment time={mail.created_at} withTime />
        </Fact>
        <Fact name={t('mails.expires')}>
          <Moment time={mail.expires_at} withTime />
        </Fact>
        <Fact name={t('mails.ended')}>
          {mail.ended_at ? <Moment time={mail.ended_at} withTime /> : '—'}
        </Fact>
        <Fact name={t('mails.error')}>{mail.last_error || t('mails.noError')}</Fact>
      </Facts>
    </Card>
  )
}

function Words({ mail, onShowCode }: { mail: MailResult; onShowCode: () => void }) {
  const { t } = useTranslation('console/mail')
  const may = useMay()
  return (
    <Card component="section" aria-label={t('mails.text')}>
      <Title order={2} size="h3" mb="sm">
        {t('mails.text')}
      </Title>
      {mail.code_hidden && (
        <Group mb="sm">
          <Text size="sm" c="dimmed">
            {t('mails.hidden')}
          </Text>
          {may('mail.code.read') && (
            <Button variant="default" size="compact-sm" onClick={onShowCode}>
              {t('mails.showCode')}
            </Button>
          )}
        </Group>
      )}
      {mail.has_text ? <Letter {...mail} /> : <Text c="dimmed">{t('mails.noText')}</Text>}
    </Card>
  )
}
