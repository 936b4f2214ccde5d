import { Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { UserMinus, UserPlus, UserRoundCog } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Assignee } from '@/lib/api/gen/staff/types.gen'
import { useSession } from '@/lib/session/current-session'
import type { Action } from '../parts/action'
import { ActionButton, useRun } from '../parts/action-runner'
import type { Filter } from '../parts/filters'
import type { Column } from '../parts/resource'
import { useKey } from '../parts/use-key'
import { type Assignable, assign, type AssignedList, membersOf } from './assigned-lists'

/** Who is signed in, as a member whom rows are assigned to. */
function useSelf(): Assignee {
  const session = useSession()
  if (session.status !== 'authenticated') return { id: 0, name: '', email: '', is_former: false }
  const { user_id: id, user_name: name, email } = session.user
  return { id, name, email, is_former: false }
}

const nameOf = ({ name, email }: Assignee) => name || email

/** Whom a row is assigned to; who may no longer see the list is marked. */
export function AssigneeName({ member }: { member: Assignee | undefined }) {
  const { t } = useTranslation('console/money')
  if (!member) return t('assign.nobody')
  return member.is_former ? t('assign.former', { name: nameOf(member) }) : nameOf(member)
}

/** What a list has for the members whom its rows are assigned to: a column, a filter, actions, and `a` for the row. */
export function useAssigning(list: AssignedList) {
  const { t } = useTranslation('console/money')
  const self = useSelf()
  const { data: members = [] } = useQuery(membersOf(list))
  const actions = useActions(list, self, members)
  const run = useRun()
  const column: Column<Assignable> = {
    key: 'assignee',
    title: t('column.assignee'),
    width: '8rem',
    cell: ({ assigned_to: member }) => <AssigneeName member={member} />,
  }
  const filter: Filter = {
    key: 'assignee',
    title: t('column.assignee'),
    kind: 'choice',
    isSingle: true,
    options: [
      { value: 'me', label: t('assign.me') },
      { value: 'none', label: t('assign.nobody') },
      ...members
        .filter(({ id }) => id !== self.id)
        .map((member) => ({ value: String(member.id), label: nameOf(member) })),
    ],
  }
  const [take] = actions
  const keys = { a: (row: Assignable) => void run(row, take) }
  return { column, filter, actions, keys }
}

function useActions(list: AssignedList, self: Assignee, members: readonly Assignee[]) {
  const { t } = useTranslation('console/money')
  const client = useQueryClient()
  const isOpen = ({ ended_at: ended }: Assignable) => ended === null
  const others = ({ assigned_to: member }: Assignable) =>
    members.filter(({ id }) => id !== member?.id)
  const give = (row: Assignable, to: Assignee | undefined) =>
    assign(client, list, row.id, { to, was: row.assigned_to })
  const takeBack = (row: Assignable, from: Assignee | undefined) =>
    assign(client, list, row.id, { to: row.assigned_to, was: from })
  const chosen = (id: unknown) => members.find((member) => String(member.id) === id)
  const { permission } = list

  const take: Action<Assignable> = {
    key: 'take',
    icon: UserPlus,
    title: t('assign.take'),
    permission,
    danger: 'U',
    isShown: (row) => isOpen(row) && row.assigned_to?.id !== self.id,
    effect: () => '',
    run: (row) => give(row, self),
    undo: (row) => takeBack(row, self),
    done: ({ id }) => t('assign.taken', { id }),
  }
  const choose: Action<Assignable> = {
    key: 'assign',
    icon: UserRoundCog,
    title: t('assign.to'),
    permission,
    danger: 'C',
    isShown: (row) => isOpen(row) && others(row).length > 0,
    fields: (row) => [
      {
        name: 'member',
        label: t('assign.member'),
        kind: 'choice',
        isRequired: true,
        initial: String(others(row)[0]?.id),
        options: others(row).map((one) => ({ value: String(one.id), label: nameOf(one) })),
      },
    ],
    effect: ({ id }) => t('assign.effect', { id }),
    run: (row, { member }) => give(row, chosen(member)),
    undo: (row, { member }) => takeBack(row, chosen(member)),
    done: ({ id }) => t('assign.given', { id }),
  }
  const release: Action<Assignable> = {
    key: 'release',
    icon: UserMinus,
    title: t('assign.release'),
    permission,
    danger: 'U',
    isShown: (row) => isOpen(row) && row.assigned_to !== undefined,
    effect: () => '',
    run: (row) => give(row, undefined),
    undo: (row) => takeBack(row, undefined),
    done: ({ id }) => t('assign.released', { id }),
  }
  return [take, choose, release] as const
}

/** On the page of a row: buttons that assign it, and `a` that takes it. */
export function AssignButtons({ list, row }: { list: AssignedList; row: Assignable }) {
  const { actions, keys } = useAssigning(list)
  useKey('a', () => keys.a(row))
  return (
    <Group gap="xs" mt="sm">
      {actions.map((action) => (
        <ActionButton key={action.key} subject={row} action={action} />
      ))}
    </Group>
  )
}
