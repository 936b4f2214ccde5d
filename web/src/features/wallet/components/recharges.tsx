import { Table } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CreditCard } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { rechargeListOptions } from '@/api/gen/@tanstack/react-query.gen'
import type { RechargeRecord } from '@/api/gen/types.gen'
import { ButtonLink } from '@/shared/ui/button-link'
import { Empty } from '@/shared/ui/empty'
import { Loaded } from '@/shared/ui/loaded'
import { Moment } from '@/shared/ui/moment'
import { Money } from '@/shared/ui/money'
import { StatusDot } from '@/shared/ui/status-dot'
import { TextLink } from '@/shared/ui/text-link'
import { isWaiting, PAGE_SIZE, rechargeTones } from '../model'
import { StatementSkeleton } from './movements'
import { PageControl } from './page-control'
import classes from './statement.module.css'

const route = getRouteApi('/user/wallet/')

export function Recharges() {
  const { t } = useTranslation('wallet')
  const { page } = route.useSearch()
  const recharges = useQuery({
    ...rechargeListOptions({ query: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE } }),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={recharges} skeleton={<StatementSkeleton />}>
      {(list) =>
        list.total_count === 0 ? (
          <Empty
            icon={CreditCard}
            text={t('noRecharges')}
            action={<ButtonLink to="/user/wallet/recharge/new">{t('recharge')}</ButtonLink>}
          />
        ) : (
          <div data-stale={recharges.isPlaceholderData} className={classes.list}>
            <RechargeTable records={list.recharge_records} />
            <PageControl page={page} total={list.total_count} />
          </div>
        )
      }
    </Loaded>
  )
}

function RechargeTable({ records }: { records: readonly RechargeRecord[] }) {
  const { t } = useTranslation('wallet')
  return (
    <Table className={classes.table} verticalSpacing="sm" horizontalSpacing="lg">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('number')}</Table.Th>
          <Table.Th>{t('when')}</Table.Th>
          <Table.Th className={classes.number}>{t('amount')}</Table.Th>
          <Table.Th className={classes.number}>{t('state')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {records.map((record) => (
          <Table.Tr key={record.id}>
            <Table.Td className={classes.what}>
              {isWaiting(record) ? (
                <TextLink to="/user/wallet/recharge/new" search={{ id: record.no }}>
                  {t('payNow')}
                </TextLink>
              ) : (
                `#${record.no}`
              )}
            </Table.Td>
            <Table.Td className={classes.when}>
              <Moment time={record.created_at} withTime />
            </Table.Td>
            <Table.Td className={classes.number}>
              <Money amount={record.money_amount} currency={record.currency} />
            </Table.Td>
            <Table.Td className={classes.after}>
              <StatusDot tone={rechargeTones[record.state]}>
                {t(`rechargeState.${record.state}`)}
              </StatusDot>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
