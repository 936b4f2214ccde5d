import { Button, Card, Skeleton } from '@mantine/core'
import { getRouteApi, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { StaffTicket, StaffTicketMessage } from '@/lib/api/gen/staff/types.gen'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { ActionMenu } from '../parts/action-runner'
import { DetailHeader } from '../parts/detail-header'
import { useMay } from '../parts/permissions'
import { useRows } from '../parts/use-rows'
import { useListSearch } from '../parts/list-search'
import { useMe } from '../parts/use-me'
import { useTicketActions } from './actions'
import { Turn, ticketLink } from './columns'
import { Composer } from './composer'
import { CustomerFacts } from './customer-facts'
import { Messages } from './messages'
import { tickets } from './resource'
import { requireFound } from '../parts/require-found'
import classes from './tickets.module.css'
import { useReply, useThread } from './use-thread'

const route = getRouteApi('/admin/tickets/$id')

/** One ticket beside the list: its thread, the field for the answer, and the customer. */
export function TicketPage() {
  const { id } = route.useParams()
  // Another ticket's draft is not this one's.
  return <Ticket key={id} id={id} />
}

function Ticket({ id }: { id: string }) {
  const { t } = useTranslation('console/ticket')
  const { query, ticket, messages } = useThread(id)
  requireFound(query)
  return (
    <div>
      {!ticket && <PageHeader title={t('thread')} />}
      <Loaded query={query} skeleton={<Skeleton height={480} radius="lg" />} hasCards>
        {() =>
          ticket && (
            <div className={classes.ticket}>
              <section aria-label={t('thread')} className={classes.thread}>
                <Header ticket={ticket} />
                {query.hasNextPage && (
                  <Button
                    variant="default"
                    loading={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {t('earlier')}
                  </Button>
                )}
                <Thread ticket={ticket} messages={messages} />
              </section>
              <CustomerFacts ticket={ticket} />
            </div>
          )
        }
      </Loaded>
    </div>
  )
}

function Header({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('console/ticket')
  const actions = useTicketActions()
  const search = useSearch({ strict: false })
  const { before, after } = useNeighbours(ticket.no)
  return (
    <DetailHeader
      list={{ title: t('title'), link: { to: '/admin/tickets', search: search as never } }}
      title={ticket.title}
      state={<Turn ticket={ticket} />}
      about={t('about', {
        no: ticket.no,
        category: t(`category.${ticket.category}`),
        assignee: ticket.assigned_to?.name ?? t('nobody'),
      })}
      menu={<ActionMenu subject={ticket} name={ticket.title} actions={actions} />}
      neighbours={{
        before: before && ticketLink(search)(before),
        after: after && ticketLink(search)(after),
      }}
    />
  )
}

/** The tickets before and after one in the list that the address describes. */
function useNeighbours(no: number) {
  const me = useMe()
  const resource = useMemo(() => tickets(me), [me])
  const { rows } = useRows(resource, useListSearch().search)
  const at = rows.findIndex((row) => row.no === no)
  return { before: rows[at - 1], after: at < 0 ? rows[0] : rows[at + 1] }
}

function Thread(props: { ticket: StaffTicket; messages: StaffTicketMessage[] }) {
  const { t } = useTranslation('console/ticket')
  const { ticket, messages } = props
  const may = useMay()
  const reply = useReply(String(ticket.no), messages)
  const { after } = useNeighbours(ticket.no)
  const navigate = useNavigate()
  const search = useSearch({ strict: false })
  const sendAndResolve = async () => {
    if ((await reply.send('resolved')) && after) await navigate(ticketLink(search)(after))
  }
  return (
    <>
      <Messages messages={messages} sending={reply.sending} />
      {ticket.merged_into ? (
        <Card>{t('merged', { no: ticket.merged_into })}</Card>
      ) : (
        may('ticket.answer') && (
          <Composer ticket={ticket} reply={reply} onResolve={() => void sendAndResolve()} />
        )
      )}
    </>
  )
}
