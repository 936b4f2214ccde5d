import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserRow } from '@/lib/api/gen/staff/types.gen'
import { PageHeader } from '@/ui/page-header'
import { ActionButton } from '../parts/action-runner'
import { FilterBar } from '../parts/filter-bar'
import { CsvButton } from '../parts/file-buttons'
import { useListSearch } from '../parts/list-search'
import { useMay } from '../parts/permissions'
import { ResourceTable } from '../parts/resource-table'
import { useAddUser } from './add-user'
import { BulkBar } from './bulk-bar'
import { useUserColumns, useUserFilters } from './columns'
import { users } from './resource'

/** All users, found by any fact; what is done to one is done to many that are chosen. */
export function UsersPage() {
  const { t } = useTranslation('console/user')
  const { search } = useListSearch()
  return (
    <div data-wide>
      <PageHeader
        title={t('title')}
        action={<ActionButton subject={null} action={useAddUser()} isPrimary />}
      />
      <FilterBar filters={useUserFilters()} search={{ key: 'q', label: t('search') }}>
        <CsvButton resource={users} />
      </FilterBar>
      <Choosable key={JSON.stringify(search)} filter={search} />
    </div>
  )
}

function Choosable({ filter }: { filter: Record<string, string> }) {
  const { t } = useTranslation('console/bulk')
  const { t: user } = useTranslation('console/user')
  const may = useMay()
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const toggle = ({ id }: UserRow) =>
    setChosen((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <>
      <BulkBar ids={[...chosen]} filter={filter} onClear={() => setChosen(new Set())} />
      <ResourceTable
        caption={user('title')}
        resource={users}
        columns={useUserColumns()}
        link={({ id }) => ({ to: '/admin/users/$id', params: { id: String(id) } })}
        {...(may('user.bulk') && {
          keys: { x: toggle },
          renderActions: (row: UserRow) => (
            <Checkbox
              aria-label={t('choose', { name: row.email })}
              checked={chosen.has(row.id)}
              onChange={() => toggle(row)}
            />
          ),
        })}
        empty={{ text: user('noUsers') }}
      />
    </>
  )
}
