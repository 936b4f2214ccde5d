import { Button, Card } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileQuestion } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ticketStatusSetMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { TicketItem } from '@/lib/api/gen/types.gen'
import { ApiError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { TextLink } from '@/ui/text-link'
import { toast } from '@/ui/toast'
import { Composer } from './components/composer'
import { MessageList } from './components/message-list'
import { ConversationSkeleton } from './components/skeletons'
import { TicketState } from './components/ticket-state'
import { conversationOf } from './queries'
import filesClasses from './files.module.css'
import classes from './ticket.module.css'
import { useConversation, useReading, useWriting } from './use-conversation'
import { useFileDrop } from './use-file-drop'
import { useTicketChanges } from './use-ticket-changes'

const route = getRouteApi('/user/tickets/view/$id')

/** One ticket: a conversation, with the field for the next message below it. */
export function TicketPage() {
  const { id } = route.useParams()
  // Another ticket's draft is not this one's.
  return <Conversation key={id} id={id} />
}

/** An address that is no number has no ticket either. */
const isUnknown = (error: unknown) => error instanceof ApiError && [404, 422].includes(error.status)

function Conversation({ id }: { id: string }) {
  const { t } = useTranslation('ticket')
  const { query, ticket, messages } = useConversation(id)
  const writing = useWriting(id, messages)
  const drop = useFileDrop(writing.uploads.add)
  useTicketChanges()
  useReading(id, messages.at(-1)?.no, ticket?.unread ?? false)
  return (
    <>
      <PageHeader
        title={ticket?.title ?? t('view.title')}
        about={
          ticket && t('view.about', { no: ticket.no, category: t(`category.${ticket.category}`) })
        }
      />
      {isUnknown(query.error) ? (
        <Card>
          <Empty
            icon={FileQuestion}
            text={t('view.unknown')}
            action={
              <ButtonLink variant="default" to="/user/tickets">
                {t('view.toAll')}
              </ButtonLink>
            }
          />
        </Card>
      ) : (
        <Loaded query={query} skeleton={<ConversationSkeleton />} hasCards>
          {() =>
            ticket && (
              <div className={`${classes.conversation} ${filesClasses.drop}`} {...drop}>
                <div className={classes.bar}>
                  <TicketState ticket={ticket} />
                  {!ticket.merged_into && <StatusButton ticket={ticket} />}
                </div>
                {query.hasNextPage && (
                  <Button
                    variant="default"
                    loading={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {t('view.earlier')}
                  </Button>
                )}
                <MessageList messages={messages} writing={writing} />
                <End ticket={ticket} writing={writing} />
              </div>
            )
          }
        </Loaded>
      )}
    </>
  )
}

/** Where the next message is written, or why none is. */
function End(props: { ticket: TicketItem; writing: ReturnType<typeof useWriting> }) {
  const { t } = useTranslation('ticket')
  const { ticket, writing } = props
  if (ticket.merged_into)
    return (
      <Card>
        <p className={classes.note}>
          {t('view.merged')}{' '}
          <TextLink to="/user/tickets/view/$id" params={{ id: String(ticket.merged_into) }}>
            {t('view.toMerged', { no: ticket.merged_into })}
          </TextLink>
        </p>
      </Card>
    )
  if (ticket.ticket_status === 'closed')
    return (
      <Card>
        <p className={classes.note}>{t('view.closed')}</p>
      </Card>
    )
  return <Composer writing={writing} />
}

function StatusButton({ ticket }: { ticket: TicketItem }) {
  const { t } = useTranslation('ticket')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const isClosed = ticket.ticket_status === 'closed'
  const set = useMutation({
    ...ticketStatusSetMutation(),
    onSuccess: () =>
      queryClient.invalidateQueries({ queryKey: conversationOf(String(ticket.no)).queryKey }),
    onError: (error) => void toast('error', problemText(error, common)),
  })
  return (
    <Button
      variant="default"
      loading={set.isPending}
      onClick={() =>
        set.mutate({
          path: { ticket_id: String(ticket.no) },
          body: { status: isClosed ? 'open' : 'closed' },
        })
      }
    >
      {t(isClosed ? 'view.reopen' : 'view.close')}
    </Button>
  )
}
