import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  staffCommissionsList,
  staffLedger,
  staffRecharges,
  staffUsers,
} from '@/lib/api/gen/staff/sdk.gen'
import type { Booking } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { formatMoney, toMinor } from '@/lib/money'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { MoneyState } from '../money/states'
import { useMay } from '../parts/permissions'
import { Person } from '../parts/person'
import { Item } from '../parts/section'
import { UserState } from './columns'
import { ListSection } from './list-section'

const LINES = 10

/** The money of a user, and whom they brought in. */
export function UserMoney({ id }: { id: number }) {
  const may = useMay()
  return (
    <Stack gap="lg">
      {may('money.ledger.read') && <Movements id={id} />}
      {may('recharge.read') && <Recharges id={id} />}
      <Invited id={id} />
      {may('money.refund.read') && <Commissions id={id} />}
    </Stack>
  )
}

/** What the accounts of this user gained or lost by it. */
const sidesOf = (booking: Booking, id: number) =>
  booking.postings.filter(({ user_id: user }) => user === id)

function Movements({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  const { t: ledger } = useTranslation('console/ledger')
  return (
    <ListSection
      title={t('movements')}
      queryKey={['ledger', 'of', id]}
      read={async (signal) =>
        (
          await staffLedger({
            query: { user: String(id), limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.rows
      }
      empty={t('noMovements')}
      more={
        <TextLink to="/admin/ledger" search={{ user: id } as never}>
          {t('all')}
        </TextLink>
      }
    >
      {(row) => (
        <Item
          key={row.id}
          name={`${ledger(`reason.${row.reason as 'purchase'}`, row.reason)} ${row.note}`}
          state={
            <span>
              {sidesOf(row, id).map((side) => (
                <span key={side.account}>
                  <Money amount={side.amount} currency={row.currency} isSigned />{' '}
                </span>
              ))}
            </span>
          }
          about={
            <>
              <Moment time={row.created_at} withTime />
              {sidesOf(row, id).map((side) => (
                <span key={side.account}>
                  {' · '}
                  {ledger(`account.${side.account}`)}{' '}
                  <Money amount={side.balance_after ?? '0.00'} currency={row.currency} />
                </span>
              ))}
            </>
          }
        />
      )}
    </ListSection>
  )
}

function Recharges({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  return (
    <ListSection
      title={t('recharges')}
      queryKey={['recharges', 'of', id]}
      read={async (signal) =>
        (
          await staffRecharges({
            query: { user: String(id), limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.rows
      }
      empty={t('noRecharges')}
      more={
        <TextLink to="/admin/recharges" search={{ user: id } as never}>
          {t('all')}
        </TextLink>
      }
    >
      {(row) => (
        <Item
          key={row.no}
          name={
            <TextLink to="/admin/recharges/$id" params={{ id: String(row.no) }}>
              #{row.no}
            </TextLink>
          }
          state={<MoneyState state={row.state} />}
          about={
            <>
              <Money amount={row.amount} currency={row.currency} /> · {row.gateway} ·{' '}
              <Moment time={row.created_at} withTime />
            </>
          }
        />
      )}
    </ListSection>
  )
}

function Invited({ id }: { id: number }) {
  const { t } = useTranslation('console/user-tabs')
  return (
    <ListSection
      title={t('invited')}
      queryKey={['users', 'invited', id]}
      read={async (signal) =>
        (
          await staffUsers({
            query: { inviter: String(id), limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.rows
      }
      empty={t('noInvited')}
      more={
        <TextLink to="/admin/users" search={{ inviter: id } as never}>
          {t('all')}
        </TextLink>
      }
    >
      {(row) => (
        <Item
          key={row.id}
          name={<Person user={row} />}
          state={<UserState state={row.state} />}
          about={<Moment time={row.created_at} withTime />}
        />
      )}
    </ListSection>
  )
}

function Commissions({ id }: { id: number }) {
  const { t, i18n } = useTranslation('console/user-tabs')
  const currency = useCurrency()
  return (
    <ListSection
      title={t('commissions')}
      queryKey={['commissions', 'of', id]}
      read={async (signal) =>
        (
          await staffCommissionsList({
            query: { inviter_id: id, limit: LINES },
            signal,
            throwOnError: true,
          })
        ).data.commissions
      }
      empty={t('noCommissions')}
      more={
        <TextLink to="/admin/commissions" search={{ inviter_id: id } as never}>
          {t('all')}
        </TextLink>
      }
    >
      {(row) => (
        <Item
          key={row.no}
          name={<Money amount={row.amount} currency={currency} />}
          state={<span>{t(`commission.${row.state}`)}</span>}
          about={
            <>
              <TextLink to="/admin/orders/$id" params={{ id: String(row.order_no) }}>
                #{row.order_no}
              </TextLink>{' '}
              · <Moment time={row.created_at} withTime />
              {row.state !== 'reversed' &&
                toMinor(row.reversed) > 0 &&
                ` · ${t('takenBack', { amount: formatMoney(row.reversed, currency, i18n.language) })}`}
            </>
          }
        />
      )}
    </ListSection>
  )
}
