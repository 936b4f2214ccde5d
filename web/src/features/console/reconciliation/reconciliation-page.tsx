import { Box, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { GatewayStatement, GatewaySums } from '@/lib/api/gen/staff/types.gen'
import { toMinor } from '@/lib/money'
import { ButtonLink } from '@/ui/button-link'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import type { Column } from '../parts/resource'
import { Item, Items, Section } from '../parts/section'
import { useMoneyText } from '../parts/use-money-text'
import { gatewaySums, statements } from './resources'

/** What gateways should still have, and their statements. */
export function ReconciliationPage() {
  const { t } = useTranslation('console/reconciliation')
  const may = useMay()
  return (
    <ListPage
      title={t('title')}
      about={t('about')}
      resource={statements}
      columns={useColumns()}
      filters={[{ key: 'gateway', title: t('column.gateway'), kind: 'text' }]}
      link={({ id }) => ({ to: '/admin/reconciliation/$id', params: { id: String(id) } })}
      empty={t('empty')}
      action={
        may('money.reconcile') && (
          <ButtonLink to="/admin/reconciliation/new" size="sm">
            {t('import.title')}
          </ButtonLink>
        )
      }
      above={
        <Box mb="lg">
          <Gateways />
        </Box>
      }
    />
  )
}

function Gateways() {
  const { t } = useTranslation('console/reconciliation')
  const money = useMoneyText()
  const query = useQuery(gatewaySums())
  return (
    <Section title={t('gateways')}>
      <Loaded query={query} skeleton={<Skeleton height={96} />}>
        {(sums) => (
          <Items empty={t('noGateways')}>
            {sums.map((one) => (
              <Item
                key={one.gateway}
                name={one.gateway}
                state={t('owed', { owed: money(one.owed) })}
                about={
                  <>
                    {t('sums', {
                      received: money(one.received),
                      returned: money(one.returned),
                      settled: money(one.settled),
                    })}
                    {' · '}
                    {isOutside(one) &&
                      `${t('outside', {
                        outside_received: money(one.outside_received),
                        outside_returned: money(one.outside_returned),
                      })} · `}
                    {one.statement_to ? (
                      <Moment time={one.statement_to} withTime />
                    ) : (
                      t('noStatement')
                    )}
                  </>
                }
              />
            ))}
          </Items>
        )}
      </Loaded>
    </Section>
  )
}

/** Whether staff received or paid anything past the gateway. */
const isOutside = ({ outside_received: received, outside_returned: returned }: GatewaySums) =>
  toMinor(received) !== 0 || toMinor(returned) !== 0

function useColumns(): Column<GatewayStatement>[] {
  const { t } = useTranslation('console/reconciliation')
  return [
    { key: 'name', title: t('column.name'), place: 'title', cell: ({ name }) => name },
    {
      key: 'gateway',
      title: t('column.gateway'),
      width: '8rem',
      place: 'fact',
      cell: ({ gateway }) => gateway,
    },
    {
      key: 'lines',
      title: t('column.lines'),
      width: '6rem',
      align: 'end',
      place: 'state',
      cell: ({ lines }) => lines,
    },
    {
      key: 'time',
      title: t('column.time'),
      width: '18rem',
      place: 'fact',
      cell: ({ first_at: first, last_at: last }) => (
        <>
          <Moment time={first} /> – <Moment time={last} />
        </>
      ),
    },
    {
      key: 'imported',
      title: t('column.imported'),
      width: '11rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}
