import { useTranslation } from 'react-i18next'
import type { TicketItem } from '@/lib/api/gen/types.gen'
import { StatusDot } from '@/ui/status-dot'
import { conditionOf } from '../model'

export function TicketState({
  ticket,
}: {
  ticket: Pick<TicketItem, 'ticket_status' | 'awaiting'>
}) {
  const { t } = useTranslation('ticket')
  const { tone, key } = conditionOf(ticket)
  return <StatusDot tone={tone}>{t(`state.${key}`)}</StatusDot>
}
