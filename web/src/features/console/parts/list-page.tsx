import { type ReactNode, Suspense } from 'react'
import { lazyPart } from '@/lib/lazy-part'
import { PageHeader } from '@/ui/page-header'
import type { Action } from './action'
import { ActionMenu } from './action-runner'
import { FirstLoad } from './first-load'
import { CsvButton } from './file-buttons'
import { FilterBar } from './filter-bar'
import type { Filter } from './filters'
import { LookMenu } from './look-menu'
import { useListSearch } from './list-search'
import { type Column, narrowingOf, type Resource, type RowLink } from './resource'
import { ResourceTable } from './resource-table'
import { useLook } from './use-look'
import { useNewKey } from './use-new-key'

// Pages with a form load these parts, too, so what only lists have comes apart.
const ViewTabs = lazyPart(() => import('./view-tabs'), 'ViewTabs')

type Props<T> = {
  title: string
  about?: string
  resource: Resource<T>
  columns: readonly Column<T>[]
  filters?: readonly Filter[]
  search?: { key: string; label: string }
  link?: (row: T) => RowLink
  actions?: readonly Action<T>[]
  /** At the row's end, where that is not the menu of its actions. */
  renderActions?: (row: T) => ReactNode
  /** Keys that do something with the row that has the focus. */
  keys?: Record<string, (row: T, rows: readonly T[]) => void>
  /** What is shown of a row beside the list; absent: all of its columns. */
  peek?: (row: T) => ReactNode
  /** What a row is called, for screen readers. */
  nameOf?: (row: T) => string
  empty: string
  /** The page's primary action. */
  action?: ReactNode
  /** Before the list, such as a test of what it says. */
  above?: ReactNode
  /** Whether the height of what is above the list is not known yet. */
  isWaiting?: boolean
  /** Between the filters and the rows, such as what is done with those that are chosen. */
  between?: ReactNode
}

/** A page that is a list: its title, its views, its filters, its rows with what may be done with each. */
export function ListPage<T>(props: Props<T>) {
  const { resource, actions, nameOf } = props
  const look = useLook(resource.name, props.columns)
  const { search } = useListSearch()
  const page = useNewKey()
  const renderActions =
    props.renderActions ??
    (actions &&
      ((row: T) => (
        <ActionMenu
          subject={row}
          name={nameOf?.(row) ?? String(resource.rowKey(row))}
          actions={actions}
          isRow
        />
      )))
  return (
    <div ref={page} data-wide>
      <Top {...props} />
      <FirstLoad isLoading={props.isWaiting ?? false}>
        <Suspense>
          <ViewTabs resource={resource.name} search={narrowingOf(resource, search)} look={look} />
        </Suspense>
        <FilterBar filters={props.filters ?? []} {...(props.search && { search: props.search })}>
          <LookMenu look={look} />
          {resource.csv && <CsvButton resource={resource} />}
        </FilterBar>
        {props.between}
        <ResourceTable
          caption={props.title}
          resource={resource}
          columns={look.shown}
          allColumns={props.columns}
          isDense={look.isDense}
          sizing={look}
          {...(props.link && { link: props.link })}
          {...(renderActions && { renderActions })}
          {...(props.keys && { keys: props.keys })}
          {...(props.peek && { peek: props.peek })}
          empty={{ text: props.empty }}
        />
      </FirstLoad>
    </div>
  )
}

function Top(props: { title: string; about?: string; action?: ReactNode; above?: ReactNode }) {
  const { title, about, action } = props
  return (
    <>
      <PageHeader title={title} {...(about !== undefined && { about })} action={action} />
      {props.above}
    </>
  )
}
