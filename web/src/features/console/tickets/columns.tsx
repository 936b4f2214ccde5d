import { useTranslation } from 'react-i18next'
import type { StaffTicket } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { StatusDot, type Tone } from '@/ui/status-dot'
import type { Filter } from '../parts/filters'
import type { Column, RowLink } from '../parts/resource'

const tones: Record<StaffTicket['awaiting'], Tone> = {
  staff: 'warning',
  user: 'info',
  nobody: 'neutral',
}

/** Whose turn it is, in words. */
export function Turn({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('console/ticket')
  const isOver = ticket.ticket_status === 'resolved' || ticket.ticket_status === 'closed'
  return (
    <StatusDot tone={isOver ? 'neutral' : tones[ticket.awaiting]}>
      {isOver ? t(`status.${ticket.ticket_status}`) : t(`awaiting.${ticket.awaiting}`)}
    </StatusDot>
  )
}

export function useTicketColumns(): Column<StaffTicket>[] {
  const { t } = useTranslation('console/ticket')
  return [
    {
      key: 'title',
      title: t('column.title'),
      place: 'title',
      cell: ({ title, priority }) => (priority === 'high' ? `! ${title}` : title),
    },
    {
      key: 'turn',
      title: t('column.turn'),
      place: 'state',
      width: '11rem',
      cell: (ticket) => <Turn ticket={ticket} />,
    },
    { key: 'user', title: t('column.user'), place: 'fact', cell: ({ user }) => user.email },
    {
      key: 'assignee',
      title: t('column.assignee'),
      // On cards, which the list has beside a ticket as well.
      place: 'fact',
      width: '9rem',
      cell: ({ assigned_to: member }) => member?.name ?? t('nobody'),
    },
    {
      key: 'updated',
      title: t('column.updated'),
      place: 'fact',
      width: '13rem',
      cell: ({ updated_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

export const ticketLink =
  (search: Record<string, unknown>) =>
  ({ no }: StaffTicket): RowLink => ({
    to: '/admin/tickets/$id',
    params: { id: String(no) },
    search: search as never,
  })

export function useTicketFilters(): Filter[] {
  const { t } = useTranslation('console/ticket')
  return [
    {
      key: 'awaiting',
      title: t('column.turn'),
      kind: 'choice',
      isSingle: true,
      options: (['staff', 'user', 'nobody'] as const).map((value) => ({
        value,
        label: t(`awaiting.${value}`),
      })),
    },
    {
      key: 'of',
      title: t('column.assignee'),
      kind: 'choice',
      isSingle: true,
      options: (['me', 'nobody'] as const).map((value) => ({ value, label: t(`of.${value}`) })),
    },
    {
      key: 'status',
      title: t('column.status'),
      kind: 'choice',
      options: (['pending', 'processing', 'resolved', 'closed'] as const).map((value) => ({
        value,
        label: t(`status.${value}`),
      })),
    },
    {
      key: 'category',
      title: t('column.category'),
      kind: 'choice',
      isSingle: true,
      options: (['general', 'connection', 'billing', 'account'] as const).map((value) => ({
        value,
        label: t(`category.${value}`),
      })),
    },
    {
      key: 'priority',
      title: t('column.priority'),
      kind: 'choice',
      isSingle: true,
      options: (['low', 'normal', 'high'] as const).map((value) => ({
        value,
        label: t(`priority.${value}`),
      })),
    },
    { key: 'email', title: t('column.user'), kind: 'text' },
  ]
}
