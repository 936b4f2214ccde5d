import { useTranslation } from 'react-i18next'
import type { PaymentCaseEvent } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Item, Items, Raw } from '../parts/section'

/** What a gateway sent, word for word, with what became of each message. */
export function GatewayEvents({ events }: { events: readonly PaymentCaseEvent[] }) {
  const { t } = useTranslation('console/money-detail')
  return (
    <Items empty={t('noEvents')}>
      {events.map((event) => (
        <Event key={event.id} event={event} />
      ))}
    </Items>
  )
}

function Event({ event }: { event: PaymentCaseEvent }) {
  const { t } = useTranslation('console/money-detail')
  const what = t(`eventMethod.${event.method as 'HAND'}`, event.method)
  return (
    <Item
      name={what}
      state={
        <span>
          {t(`outcome.${event.outcome as 'credited'}`, event.outcome)}
          {event.reason && ` · ${t(`refusal.${event.reason as 'paid_twice'}`, event.reason)}`}
        </span>
      }
      about={
        <>
          <Moment time={event.created_at} withTime /> · {event.address || '—'}
          <details>
            <summary>{t('raw')}</summary>
            <Raw>{rawOf(event)}</Raw>
          </details>
        </>
      }
    />
  )
}

const rawOf = ({ method, query, header, body }: PaymentCaseEvent) =>
  [
    `${method} ${query && `?${query}`}`,
    ...Object.entries(header).map(([name, values]) => `${name}: ${values?.join(', ')}`),
    '',
    body,
  ].join('\n')
