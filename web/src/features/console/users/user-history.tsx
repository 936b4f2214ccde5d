import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { staffAudit, staffTicketsList } from '@/lib/api/gen/staff/sdk.gen'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import { TextLink } from '@/ui/text-link'
import { useMay } from '../parts/permissions'
import { Item } from '../parts/section'
import { ListSection } from './list-section'

const LINES = 20

/** What the user wrote to staff, and what staff did to the user. */
export function UserHistory({ id }: { id: number }) {
  const may = useMay()
  return (
    <Stack gap="lg">
      {may('ticket.read') && <Tickets id={id} />}
      {may('audit.read') && <Audit id={id} />}
    </Stack>
  )
}

const tones = {
  pending: 'warning',
  processing: 'info',
  resolved: 'success',
  closed: 'neutral',
} as const

function Tickets({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  return (
    <ListSection
      title={t('tickets')}
      queryKey={['tickets', 'of', id]}
      read={async (signal) =>
        (
          await staffTicketsList({
            query: { user_id: id, limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.tickets
      }
      empty={t('noTickets')}
    >
      {(row) => (
        <Item
          key={row.no}
          name={
            <TextLink to="/admin/tickets/$id" params={{ id: String(row.no) }}>
              {row.title}
            </TextLink>
          }
          state={
            <StatusDot tone={tones[row.ticket_status]}>
              {t(`ticketState.${row.ticket_status}`)}
            </StatusDot>
          }
          about={
            <>
              #{row.no} · <Moment time={row.updated_at} withTime />
            </>
          }
        />
      )}
    </ListSection>
  )
}

function Audit({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  return (
    <ListSection
      title={t('audit')}
      queryKey={['audit', 'of', id]}
      read={async (signal) =>
        (
          await staffAudit({
            query: { object: 'user', object_id: String(id), limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.rows
      }
      empty={t('noAudit')}
    >
      {(row) => (
        <Item
          key={row.id}
          name={<span title={row.action}>{row.action_text}</span>}
          state={
            <span>
              {row.actor_id === null ? (
                row.actor_name
              ) : (
                <TextLink to="/admin/users/$id" params={{ id: String(row.actor_id) }}>
                  #{row.actor_id}
                </TextLink>
              )}
            </span>
          }
          about={
            <>
              <Moment time={row.at} withTime />
              {row.reason && ` · ${row.reason}`}
            </>
          }
        />
      )}
    </ListSection>
  )
}
