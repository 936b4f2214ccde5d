import { Button, Menu, SegmentedControl, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent as KeyPress, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  staffCannedAnswerFill,
  staffCannedAnswersList,
  staffTicketChange,
} from '@/lib/api/gen/staff/sdk.gen'
import { staffTicketAnswerRules } from '@/lib/api/gen/staff/rules.gen'
import type { StaffTicket } from '@/lib/api/gen/staff/types.gen'
import { isElsewhere } from '@/lib/keys'
import { problemText } from '@/lib/server-problem'
import { Notice } from '@/ui/notice'
import { toast } from '@/ui/toast'
import { useMay } from '../parts/permissions'
import { useMe } from '../parts/use-me'
import classes from './tickets.module.css'
import type { useReply } from './use-thread'

/** Where staff answers, or writes a note that only staff sees. */
export function Composer(props: Props) {
  const { t } = useTranslation('console/ticket')
  const { ticket, reply, onResolve } = props
  const { draft, change, switchTo, send, rival } = reply
  const field = useRef<HTMLTextAreaElement>(null)
  const [isCannedOpen, setCannedOpen] = useState(false)
  useTicketKeys(ticket, {
    r: () => switchTo(false),
    n: () => switchTo(true),
    m: () => setCannedOpen(true),
    field,
  })
  const onKeyDown = (event: KeyPress) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (event.shiftKey && !draft.isNote) onResolve()
    else void send()
  }
  return (
    <div className={classes.composer} data-note={draft.isNote}>
      {rival && (
        <Notice tone="warning">
          {t('rival', { name: rival.author.name || rival.author.email })}
        </Notice>
      )}
      <Textarea
        ref={field}
        aria-label={t(draft.isNote ? 'write.note' : 'write.reply')}
        placeholder={t(draft.isNote ? 'write.note' : 'write.reply')}
        rows={4}
        maxLength={staffTicketAnswerRules.content.maxLength}
        value={draft.text}
        onChange={({ currentTarget }) => change({ text: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <Tools
        {...props}
        isCannedOpen={isCannedOpen}
        onCannedOpen={setCannedOpen}
        onCanned={(text) => {
          change({ text: [draft.text, text].filter(Boolean).join('\n\n') })
          field.current?.focus()
        }}
      />
    </div>
  )
}

type Props = {
  ticket: StaffTicket
  reply: ReturnType<typeof useReply>
  onResolve: () => void
}

/** Below the field: what is written, canned answers, and the buttons that send it. */
function Tools(
  props: Props & {
    isCannedOpen: boolean
    onCannedOpen: (isOpen: boolean) => void
    onCanned: (text: string) => void
  },
) {
  const { t } = useTranslation('console/ticket')
  const { draft, switchTo, send, isSending } = props.reply
  const isEmpty = draft.text.trim() === ''
  return (
    <div className={classes.tools}>
      <SegmentedControl
        size="sm"
        aria-label={t('write.kind')}
        value={draft.isNote ? 'note' : 'reply'}
        onChange={(kind) => switchTo(kind === 'note')}
        data={[
          { value: 'reply', label: t('write.asReply') },
          { value: 'note', label: t('write.asNote') },
        ]}
      />
      <Canned
        ticket={props.ticket}
        isOpen={props.isCannedOpen}
        onOpen={props.onCannedOpen}
        onChoose={props.onCanned}
      />
      {!draft.isNote && (
        <Button size="sm" variant="default" disabled={isEmpty} onClick={props.onResolve}>
          {t('write.resolve')}
        </Button>
      )}
      <Button size="sm" loading={isSending} disabled={isEmpty} onClick={() => void send()}>
        {t(draft.isNote ? 'write.keep' : 'write.send')}
      </Button>
    </div>
  )
}

/** The canned answers, filled in for this ticket. */
function Canned(props: {
  ticket: StaffTicket
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onChoose: (text: string) => void
}) {
  const { t } = useTranslation('console/ticket')
  const { t: common } = useTranslation()
  const { data } = useQuery({
    queryKey: ['console', 'canned-answers'],
    queryFn: async ({ signal }) =>
      (await staffCannedAnswersList({ signal, throwOnError: true })).data,
  })
  if (!data || data.canned_answers.length === 0) return null
  const choose = async (id: number) => {
    try {
      const { data: filled } = await staffCannedAnswerFill({
        path: { ticket_id: String(props.ticket.no), answer_id: id },
        throwOnError: true,
      })
      props.onChoose(filled.content)
    } catch (error) {
      await toast('error', problemText(error, common))
    }
  }
  return (
    <Menu
      opened={props.isOpen}
      onChange={props.onOpen}
      position="top-start"
      shadow="md"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Button size="sm" variant="default">
          {t('write.canned')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {data.canned_answers.map(({ id, name }, index) => (
          <Menu.Item
            key={id}
            data-autofocus={index === 0 || undefined}
            onClick={() => void choose(id)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** `r` and `n` go to the field, `m` opens the canned answers, `a` takes the ticket. */
function useTicketKeys(
  ticket: StaffTicket,
  keys: Record<'r' | 'n' | 'm', () => void> & { field: RefObject<HTMLTextAreaElement | null> },
) {
  const queryClient = useQueryClient()
  const may = useMay()
  const me = useMe()
  const assign = async () => {
    if (!may('ticket.manage')) return
    await staffTicketChange({ path: { ticket_id: String(ticket.no) }, body: { assigned_to: me } })
    await queryClient.invalidateQueries({ queryKey: ['console', 'tickets'] })
  }
  const now = useRef({ ...keys, assign })
  useEffect(() => {
    now.current = { ...keys, assign }
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return
      const { field, assign: take, ...rest } = now.current
      if (event.key === 'a') void take().catch(() => undefined)
      else if (event.key === 'r' || event.key === 'n' || event.key === 'm') {
        rest[event.key]()
        if (event.key !== 'm') field.current?.focus()
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
