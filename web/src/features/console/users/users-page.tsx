import { Checkbox, Group } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserRow } from '@/lib/api/gen/staff/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import { useListSearch } from '../parts/list-search'
import { useMay } from '../parts/permissions'
import { narrowingOf } from '../parts/resource'
import { useAddUser } from './add-user'
import { BulkBar } from './bulk-bar'
import { useUserColumns, useUserFilters } from './columns'
import { users } from './resource'

/** All users, found by any fact; what is done to one is done to many that are chosen. */
export function UsersPage() {
  const { t } = useTranslation('console/user')
  const { t: bulk } = useTranslation('console/bulk')
  const search = narrowingOf(users, useListSearch().search)
  const mayBulk = useMay()('user.bulk')
  const { chosen, clear, toggle, extend } = useChosen(JSON.stringify(search))
  return (
    <ListPage
      title={t('title')}
      action={<Additions />}
      resource={users}
      columns={useUserColumns()}
      filters={useUserFilters()}
      search={{ key: 'q', label: t('search') }}
      link={({ id }) => ({
        to: '/admin/users/$id',
        params: { id: String(id) },
      })}
      between={<BulkBar ids={[...chosen]} filter={search} onClear={clear} />}
      {...(mayBulk && {
        keys: { x: toggle, X: extend },
        renderActions: (row: UserRow) => (
          <Checkbox
            aria-label={bulk('choose', { name: row.email })}
            checked={chosen.has(row.id)}
            onChange={() => toggle(row)}
          />
        ),
      })}
      empty={t('noUsers')}
    />
  )
}

/** How users come in: one by one, or from a file. */
function Additions() {
  const { t } = useTranslation('console/user')
  const mayImport = useMay()('user.import')
  return (
    <Group gap="xs">
      {mayImport && (
        <ButtonLink
          size="sm"
          variant="default"
          to="/admin/users/import"
          leftSection={<FileUp size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t('import')}
        </ButtonLink>
      )}
      <ActionButton subject={null} action={useAddUser()} isPrimary />
    </Group>
  )
}

/** Which users are chosen; another list begins with none. `extend` chooses all from the one that was chosen last. */
function useChosen(list: string) {
  const [{ of, ids: chosenThere, last }, setChosen] = useState<{
    of: string
    ids: ReadonlySet<number>
    last?: number
  }>({ of: list, ids: new Set() })
  const chosen: ReadonlySet<number> = of === list ? chosenThere : new Set()
  const toggle = ({ id }: UserRow) => {
    const ids = new Set(chosen)
    if (!ids.delete(id)) ids.add(id)
    setChosen({ of: list, ids, last: id })
  }
  const extend = (row: UserRow, rows: readonly UserRow[]) => {
    const from = of === list ? rows.findIndex(({ id }) => id === last) : -1
    const to = rows.indexOf(row)
    if (from < 0) return toggle(row)
    const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1)
    setChosen({
      of: list,
      ids: new Set([...chosen, ...between.map(({ id }) => id)]),
      last: row.id,
    })
  }
  return {
    chosen,
    clear: () => setChosen({ of: list, ids: new Set() }),
    toggle,
    extend,
  }
}
