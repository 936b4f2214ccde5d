import { useTranslation } from 'react-i18next'
import type { Booking, BookedPosting } from '@/lib/api/gen/staff/types.gen'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { Item, Items, Section } from '../parts/section'

/** What an object moved in the ledger, with both sides of each transaction. */
export function Bookings({ bookings }: { bookings: readonly Booking[] }) {
  const { t } = useTranslation('console/ledger')
  return (
    <Section title={t('section.ledger')}>
      <Items empty={t('noBookings')}>
        {bookings.map((one) => (
          <Item
            key={one.id}
            name={t(`reason.${one.reason as 'purchase'}`, one.reason)}
            state={<Moment time={one.created_at} withTime />}
            about={<Postings booking={one} />}
          />
        ))}
      </Items>
    </Section>
  )
}

export function Postings({ booking }: { booking: Booking }) {
  return booking.postings.map((posting, index) => (
    <span key={index} style={{ display: 'block' }}>
      <AccountName posting={posting} />:{' '}
      <Money amount={posting.amount} currency={booking.currency} isSigned />
    </span>
  ))
}

/** Whose account it is and what for. */
function AccountName({ posting }: { posting: BookedPosting }) {
  const { t } = useTranslation('console/ledger')
  const name = t(`account.${posting.account}`)
  if (posting.user_id === null) return posting.gateway ? `${name} (${posting.gateway})` : name
  return (
    <>
      {name}{' '}
      <TextLink to="/admin/users/$id" params={{ id: String(posting.user_id) }}>
        #{posting.user_id}
      </TextLink>
    </>
  )
}
