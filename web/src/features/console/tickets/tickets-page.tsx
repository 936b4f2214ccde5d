import { Outlet, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '@/lib/lazy-part'
import { PageHeader } from '@/ui/page-header'
import { FilterBar } from '../parts/filter-bar'
import { useListSearch } from '../parts/list-search'
import { LookMenu } from '../parts/look-menu'
import { narrowingOf } from '../parts/resource'
import { ResourceTable } from '../parts/resource-table'
import { useLook } from '../parts/use-look'
import { useMe } from '../parts/use-me'
import { ticketLink, useTicketColumns, useTicketFilters } from './columns'
import { tickets } from './resource'
import classes from './tickets.module.css'

const ViewTabs = lazyPart(() => import('../parts/view-tabs'), 'ViewTabs')

/** The inbox: the list, the thread beside it, and what is known of the customer. On a phone one of them at a time. */
export function TicketsPage() {
  const { t } = useTranslation('console/ticket')
  const { id } = useParams({ strict: false })
  return (
    <div className={classes.inbox} data-open={id !== undefined} data-wide>
      <section aria-label={t('title')} className={classes.list}>
        <List hasThread={id !== undefined} />
      </section>
      <Outlet />
    </div>
  )
}

function List({ hasThread }: { hasThread: boolean }) {
  const { t } = useTranslation('console/ticket')
  const me = useMe()
  const resource = useMemo(() => tickets(me), [me])
  const scroller = useRef<HTMLDivElement>(null)
  const search = useSearch({ strict: false })
  const narrowing = narrowingOf(resource, useListSearch().search)
  const columns = useTicketColumns()
  const look = useLook(resource.name, columns)
  return (
    <>
      {!hasThread && <PageHeader title={t('title')} />}
      <Suspense>
        <ViewTabs resource={resource.name} search={narrowing} look={look} />
      </Suspense>
      <FilterBar filters={useTicketFilters()} search={{ key: 'q', label: t('search') }}>
        {!hasThread && <LookMenu look={look} />}
      </FilterBar>
      <div ref={scroller} className={classes.scroller}>
        <ResourceTable
          caption={t('title')}
          resource={resource}
          columns={look.shown}
          allColumns={columns}
          isDense={look.isDense}
          sizing={look}
          link={ticketLink(search)}
          scroller={hasThread ? scroller : undefined}
          empty={{ text: t('empty') }}
        />
      </div>
    </>
  )
}
