import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { StaffTicketMessage } from '@/lib/api/gen/staff/types.gen'
import { Markdown } from '@/ui/markdown'
import { Moment } from '@/ui/moment'
import { FileButton, Picture } from './files'
import classes from './tickets.module.css'
import type { Draft } from './use-thread'

const SETTLING_MS = 2_000

/** The conversation, oldest first, with staff's notes in their places. It begins at its end, and goes there with what is new. */
export function Messages(props: {
  messages: readonly StaffTicketMessage[]
  sending: Draft | undefined
}) {
  const { t } = useTranslation('console/ticket')
  const end = useRef<HTMLDivElement>(null)
  const log = useRef<HTMLDivElement>(null)
  const shown = useRef({ what: '', since: 0 })
  useEffect(() => {
    const what = `${props.messages.at(-1)?.no} ${props.sending !== undefined}`
    if (shown.current.what === what) return
    shown.current = { what, since: Date.now() }
    end.current?.scrollIntoView({ block: 'nearest' })
  })
  useEffect(() => {
    // Markdown is taller than its source, and comes a moment later; so does the top of a page that one goes to.
    const growth = new ResizeObserver(() => {
      if (Date.now() - shown.current.since < SETTLING_MS)
        end.current?.scrollIntoView({ block: 'nearest' })
    })
    if (log.current) growth.observe(log.current)
    return () => growth.disconnect()
  }, [])
  return (
    <div ref={log} role="log" aria-label={t('messages')} className={classes.messages}>
      {props.messages.map((message) => (
        <Message key={message.no} message={message} />
      ))}
      {props.sending && (
        <article
          className={classes.message}
          data-by={props.sending.isNote ? 'note' : 'staff'}
          data-pending
        >
          <p className={classes.author}>{t('sending')}</p>
          <Markdown text={props.sending.text} />
        </article>
      )}
      <div ref={end} className={classes.end} />
    </div>
  )
}

function Message({ message }: { message: StaffTicketMessage }) {
  const { t } = useTranslation('console/ticket')
  const { author, attachments } = message
  const by = message.is_note ? 'note' : message.by_staff ? 'staff' : 'user'
  return (
    <article className={classes.message} data-by={by}>
      <p className={classes.author}>
        <span>
          {author.name || author.email}
          {message.is_note && ` · ${t('isNote')}`}
        </span>
        <Moment time={message.created_at} withTime />
      </p>
      {message.content && <Markdown text={message.content} />}
      {attachments.length > 0 && (
        <ul aria-label={t('files')} className={classes.files}>
          {attachments.map((file) => (
            <li key={file.id}>
              {file.width > 0 ? <Picture file={file} /> : <FileButton file={file} />}
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}
