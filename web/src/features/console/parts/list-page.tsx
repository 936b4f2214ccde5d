import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { csvFile, saveFile } from '@/lib/save-file'
import { problemText } from '@/lib/server-problem'
import { PageHeader } from '@/ui/page-header'
import { toast } from '@/ui/toast'
import type { Action } from './action'
import { ActionMenu } from './action-runner'
import { FilterBar } from './filter-bar'
import type { Filter } from './filters'
import { useListSearch } from './list-search'
import { sendProving } from './prove'
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

/** The rows that the filters find, as a file. */
export function CsvButton<T>({ resource }: { resource: Resource<T> }) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const { search } = useListSearch()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    const { sort, ...filters } = search
    try {
      const address = new URL(resource.csv?.(filters, sort) ?? '', location.origin)
      const response = await sendProving(new Request(address))
      saveFile(`${resource.name}.csv`, csvFile(await response.blob()))
    } catch (error) {
      await toast('error', problemText(error, common))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      size="sm"
      loading={isBusy}
      leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />}
      onClick={() => void save()}
    >
      {t('table.csv')}
    </Button>
  )
}
