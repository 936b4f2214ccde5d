import type { ReactNode } from 'react'
import { PageHeader } from '@/ui/page-header'
import type { Action } from './action'
import { ActionMenu } from './action-runner'
import { CsvButton } from './file-buttons'
import { FilterBar } from './filter-bar'
import type { Filter } from './filters'
import type { Column, Resource, RowLink } from './resource'
import { ResourceTable } from './resource-table'

/** A page that is a list: its title, its filters, its rows with what may be done with each. */
export function ListPage<T>(props: {
  title: string
  about?: string
  resource: Resource<T>
  columns: readonly Column<T>[]
  filters?: readonly Filter[]
  search?: { key: string; label: string }
  link?: (row: T) => RowLink
  actions?: readonly Action<T>[]
  /** What a row is called, for screen readers. */
  nameOf?: (row: T) => string
  empty: string
  /** The page's primary action. */
  action?: ReactNode
  /** Before the list, such as a test of what it says. */
  above?: ReactNode
}) {
  const { resource, actions, nameOf } = props
  return (
    <div data-wide>
      <PageHeader
        title={props.title}
        {...(props.about !== undefined && { about: props.about })}
        action={props.action}
      />
      {props.above}
      {(props.filters || props.search || resource.csv) && (
        <FilterBar filters={props.filters ?? []} {...(props.search && { search: props.search })}>
          {resource.csv && <CsvButton resource={resource} />}
        </FilterBar>
      )}
      <ResourceTable
        caption={props.title}
        resource={resource}
        columns={props.columns}
        {...(props.link && { link: props.link })}
        {...(actions && {
          renderActions: (row: T) => (
            <ActionMenu
              subject={row}
              name={nameOf?.(row) ?? String(resource.rowKey(row))}
              actions={actions}
              isRow
            />
          ),
        })}
        empty={{ text: props.empty }}
      />
    </div>
  )
}
