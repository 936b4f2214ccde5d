import { Button, Group } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { TicketMessage } from '@/lib/api/gen/types.gen'
import { formatDate, formatExactly } from '@/lib/time'
import { Markdown } from '@/ui/markdown'
import { byDay } from '../model'
import classes from '../ticket.module.css'
import { Attachments } from './attachments'
import type { Sending, useWriting } from '../use-conversation'

const SETTLING_MS = 2_000

/** The messages by day, then those that are being sent. New ones are read out, and scrolled to where the end was in sight. */
export function MessageList(props: {
  messages: TicketMessage[]
  writing: Pick<ReturnType<typeof useWriting>, 'sending' | 'sendAgain' | 'takeBack'>
}) {
  const { t, i18n } = useTranslation('ticket')
  const { messages, writing } = props
  const end = useRef<HTMLDivElement>(null)
  const log = useRef<HTMLDivElement>(null)
  const shown = useRef({ what: '', since: 0 })
  useEffect(() => {
    const what = `${messages.at(-1)?.no} ${writing.sending.length}`
    if (shown.current.what === what) return
    shown.current = { what, since: Date.now() }
    end.current?.scrollIntoView({ block: 'nearest' })
  })
  useEffect(() => {
    // Markdown is taller than its source, and comes a moment later.
    const growth = new ResizeObserver(() => {
      if (Date.now() - shown.current.since < SETTLING_MS)
        end.current?.scrollIntoView({ block: 'nearest' })
    })
    if (log.current) growth.observe(log.current)
    return () => growth.disconnect()
  }, [])
  return (
    <div ref={log} role="log" aria-label={t('view.messages')} className={classes.messages}>
      {byDay(messages).map((day) => (
        <div key={day[0]?.no} className={classes.day}>
          <p className={classes.date}>{formatDate(day[0]?.created_at ?? 0, i18n.language)}</p>
          {day.map((message) => (
            <Message key={message.no} message={message} />
          ))}
        </div>
      ))}
      {writing.sending.map((message) => (
        <OnItsWay key={message.key} message={message} writing={writing} />
      ))}
      <div ref={end} className={classes.end} />
    </div>
  )
}

function Message({ message }: { message: TicketMessage }) {
  const { t, i18n } = useTranslation('ticket')
  const time = new Intl.DateTimeFormat(i18n.language, { timeStyle: 'short' })
  return (
    <article id={`message-${message.no}`} className={classes.message} data-staff={message.by_staff}>
      <p className={classes.author}>
        <span>{t(message.by_staff ? 'view.staff' : 'view.you')}</span>
        <time
          dateTime={message.created_at}
          title={formatExactly(message.created_at, i18n.language)}
        >
          {time.format(new Date(message.created_at))}
        </time>
      </p>
      {message.content && <Markdown text={message.content} />}
      <Attachments files={message.attachments} />
    </article>
  )
}

function OnItsWay(props: {
  message: Sending
  writing: Pick<ReturnType<typeof useWriting>, 'sendAgain' | 'takeBack'>
}) {
  const { t } = useTranslation('ticket')
  const { message, writing } = props
  const failure = message.refusal === undefined ? 'send.unsure' : 'send.failed'
  return (
    <article className={classes.message} data-staff={false} data-pending={!message.problem}>
      <p className={classes.author}>
        <span>{t('view.you')}</span>
        <span>{t(message.problem ? failure : 'send.underWay')}</span>
      </p>
      {message.content && <Markdown text={message.content} />}
      <Attachments files={message.files ?? []} />
      {message.problem && (
        <div className={classes.failed}>
          <p role="alert">{message.problem}</p>
          <Group gap="xs">
            <Button size="xs" onClick={() => writing.sendAgain(message)}>
              {t('send.again')}
            </Button>
            <Button size="xs" variant="default" onClick={() => writing.takeBack(message)}>
              {t('send.edit')}
            </Button>
          </Group>
        </div>
      )}
    </article>
  )
}
