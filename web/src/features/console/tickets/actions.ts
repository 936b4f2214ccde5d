import {
  CheckCheck,
  CircleDot,
  GitMerge,
  LockKeyhole,
  type LucideIcon,
  UserMinus,
  UserPlus,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffTicketChange, staffTicketMerge } from '@/lib/api/gen/staff/sdk.gen'
import type { StaffTicket, TicketChangeBody } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { useMe } from '../parts/use-me'

const change = (ticket: StaffTicket, body: TicketChangeBody) =>
  staffTicketChange({ path: { ticket_id: String(ticket.no) }, body, throwOnError: true })

const quick = { permission: 'ticket.manage', danger: 'U', effect: () => '' } as const

/** What may be done with a ticket beside answering it. */
export function useTicketActions(): Action<StaffTicket>[] {
  const assigning = useAssigning()
  const states = useStates()
  const merge = useMerge()
  return [...assigning, ...states, merge]
}

/** Who has it. */
function useAssigning(): Action<StaffTicket>[] {
  const { t } = useTranslation('console/ticket')
  const me = useMe()
  return [
    {
      ...quick,
      key: 'take',
      icon: UserPlus,
      title: t('action.take'),
      isShown: ({ assigned_to: member }) => member?.id !== me,
      run: (ticket) => change(ticket, { assigned_to: me, was_assigned_to: holderOf(ticket) }),
      undo: (ticket) => change(ticket, { assigned_to: holderOf(ticket), was_assigned_to: me }),
      done: ({ no }) => t('done.take', { no }),
    },
    {
      ...quick,
      key: 'release',
      icon: UserMinus,
      title: t('action.release'),
      isShown: ({ assigned_to: member }) => member !== undefined,
      run: (ticket) => change(ticket, { assigned_to: 0, was_assigned_to: holderOf(ticket) }),
      undo: (ticket) => change(ticket, { assigned_to: holderOf(ticket), was_assigned_to: 0 }),
      done: ({ no }) => t('done.release', { no }),
    },
  ]
}

/** The id of who has it; 0: nobody. */
const holderOf = (ticket: StaffTicket) => ticket.assigned_to?.id ?? 0

/** Whether it is over. */
function useStates(): Action<StaffTicket>[] {
  const { t } = useTranslation('console/ticket')
  const to = (
    key: 'resolve' | 'close' | 'reopen',
    status: StaffTicket['ticket_status'],
    icon: LucideIcon,
  ): Action<StaffTicket> => ({
    ...quick,
    key,
    icon,
    title: t(`action.${key}`),
    isShown: ({ ticket_status: now, merged_into: merged }) =>
      merged === null && isOver(now) === (key === 'reopen'),
    run: (ticket) => change(ticket, { status }),
    undo: (ticket) => change(ticket, { status: ticket.ticket_status, was_status: status }),
    done: ({ no }) => t(`done.${key}`, { no }),
  })
  return [
    to('resolve', 'resolved', CheckCheck),
    to('close', 'closed', LockKeyhole),
    to('reopen', 'processing', CircleDot),
  ]
}

const isOver = (status: StaffTicket['ticket_status']) =>
  status === 'closed' || status === 'resolved'

function useMerge(): Action<StaffTicket> {
  const { t } = useTranslation('console/ticket')
  return {
    key: 'merge',
    icon: GitMerge,
    title: t('action.merge'),
    permission: 'ticket.merge',
    danger: 'C',
    isShown: ({ merged_into: merged }) => merged === null,
    fields: () => [
      { name: 'into', label: t('into'), hint: t('intoHint'), kind: 'number', isRequired: true },
    ],
    effect: ({ no, user }) => t('mergeEffect', { no, user: user.email }),
    run: (ticket, { into }) =>
      staffTicketMerge({
        path: { ticket_id: String(ticket.no) },
        body: { into: String(into) },
        throwOnError: true,
      }),
    done: ({ no }) => t('done.merge', { no }),
  }
}
