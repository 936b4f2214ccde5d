import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { servicesOldBillsOfOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { BillItem } from '@/lib/api/gen/types.gen'
import { type Column, DataTable } from '@/ui/data-table'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { TextLink } from '@/ui/text-link'

/** The paid bills of one service. A service that was granted has none. */
export function ServiceBills({ serviceId }: { serviceId: number }) {
  const { t } = useTranslation('service')
  const columns = useColumns()
  const bills = useQuery(servicesOldBillsOfOptions({ path: { service_id: serviceId } }))
  return (
    <Loaded query={bills} skeleton={<Skeleton height={80} />}>
      {({ bills: list }) =>
        list.length === 0 ? (
          <Text c="dimmed">{t('old.noBills')}</Text>
        ) : (
          <DataTable
            caption={t('old.bills')}
            rows={list}
            rowKey={({ no }) => no}
            columns={columns}
          />
        )
      }
    </Loaded>
  )
}

function useColumns(): Column<BillItem>[] {
  const { t } = useTranslation('service')
  return [
    {
      key: 'no',
      header: t('old.no'),
      cell: ({ no, invoice_id: invoice }) =>
        invoice ? (
          <TextLink to="/user/wallet/billing/view-invoice/$id" params={{ id: invoice }}>
            {t('old.invoice', { no })}
          </TextLink>
        ) : (
          no
        ),
    },
    {
      key: 'when',
      header: t('old.when'),
      cell: ({ created_at }) => <Moment time={created_at} withTime />,
    },
    {
      key: 'what',
      header: t('old.what'),
      cell: ({ kind, months }) =>
        `${t(`old.kind.${kind}`)} · ${t('old.months', { count: months })}`,
    },
    {
      key: 'paid',
      header: t('old.paid'),
      align: 'end',
      cell: ({ money_amount, currency }) => <Money amount={money_amount} currency={currency} />,
    },
    {
      key: 'state',
      header: t('old.state'),
      cell: ({ state }) => t(`old.billState.${state}`),
    },
  ]
}
