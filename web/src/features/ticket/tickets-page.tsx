import { Card } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { MessagesSquare } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { TicketSummary } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageControl } from '@/ui/page-control'
import { PageHeader } from '@/ui/page-header'
import { SearchField } from '@/ui/search-field'
import { ListSkeleton } from './components/skeletons'
import { TicketState } from './components/ticket-state'
import { excerptOf } from './model'
import { PAGE_SIZE, ticketsOf } from './queries'
import classes from './ticket.module.css'
import { useTicketChanges } from './use-ticket-changes'

const route = getRouteApi('/user/tickets/')

/** The user's tickets, the one with the newest message first. */
export function TicketsPage() {
  const { t } = useTranslation('ticket')
  const { page, q } = route.useSearch()
  const navigate = useNavigate()
  useTicketChanges()
  const tickets = useQuery({ ...ticketsOf(page, q), placeholderData: keepPreviousData })
  const search = (words: string) =>
    void navigate({
      to: '/user/tickets',
      search: { q: words || undefined },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <PageHeader title={t('list.title')} about={t('list.about')} action={<ToNew />} />
      <SearchField
        label={t('list.search')}
        value={q ?? ''}
        onSearch={search}
        className={classes.search}
      />
      <Loaded query={tickets} skeleton={<ListSkeleton />} hasCards>
        {({ tickets: list, total_count: total }) =>
          list.length === 0 ? (
            <Card>
              <Empty
                icon={MessagesSquare}
                text={t(q ? 'list.nothingFound' : 'list.empty')}
                action={q ? undefined : <ToNew />}
              />
            </Card>
          ) : (
            <div data-stale={tickets.isPlaceholderData}>
              <ul aria-label={t('list.title')} className={classes.tickets}>
                {list.map((ticket) => (
                  <Row key={ticket.no} ticket={ticket} />
                ))}
              </ul>
              <PageControl
                page={page}
                pages={Math.max(1, Math.ceil(total / PAGE_SIZE))}
                link={(other) => ({ to: '/user/tickets', search: { page: other, q } })}
              />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

function Row({ ticket }: { ticket: TicketSummary }) {
  const { t } = useTranslation('ticket')
  const last = ticket.message_data[0]
  return (
    <li>
      <Link
        to="/user/tickets/view/$id"
        params={{ id: String(ticket.no) }}
        className={classes.ticket}
        data-unread={ticket.unread}
      >
        <span className={classes.rowTitle}>
          {ticket.title}
          {ticket.unread && <span className={classes.badge}>{t('list.unread')}</span>}
        </span>
        <span className={classes.rowState}>
          <TicketState ticket={ticket} />
        </span>
        <span className={classes.excerpt}>
          {last &&
            t(last.by_staff ? 'list.byStaff' : 'list.byYou', {
              text: excerptOf(last.content) || t('files.excerpt'),
            })}
        </span>
        <span className={classes.rowTime}>
          <Moment time={ticket.updated_at} withTime />
        </span>
      </Link>
    </li>
  )
}

function ToNew() {
  const { t } = useTranslation('ticket')
  return <ButtonLink to="/user/tickets/new">{t('new.title')}</ButtonLink>
}
