import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'
import { MoneyState } from '../money/states'
import { ordersOf } from './resource'
import { Item, Items, Section } from '../parts/section'

/** The newest orders of a user, and the way to all of them. */
export function UserOrders({ id }: { id: number }) {
  const { t } = useTranslation('console/user')
  const query = useQuery(ordersOf(id))
  return (
    <Section title={t('section.orders')}>
      <Loaded query={query} skeleton={<Skeleton height={120} />}>
        {({ rows, next_cursor: next }) => (
          <>
            <Items empty={t('noOrders')}>
              {rows.map(({ no, plan, state, total, currency, created_at: time }) => (
                <Item
                  key={no}
                  name={
                    <TextLink to="/admin/orders/$id" params={{ id: String(no) }} underline="hover">
                      {`#${no} ${plan.name}`}
                    </TextLink>
                  }
                  state={<MoneyState state={state} />}
                  about={
                    <>
                      <Money amount={total} currency={currency} /> · <Moment time={time} withTime />
                    </>
                  }
                />
              ))}
            </Items>
            {next && (
              <TextLink to="/admin/orders" search={{ user: id } as never}>
                {t('allOrders')}
              </TextLink>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
