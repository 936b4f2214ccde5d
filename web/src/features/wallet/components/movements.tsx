import { Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ReceiptText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { MovementPage } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { UnlessBanned } from '@/ui/ban-notice'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { LinedTable } from '@/ui/lined-table'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { PageControl } from '@/ui/page-control'
import { movementsOf } from '../list-queries'
import { pagesOf } from '../model'
import classes from './statement.module.css'

const route = getRouteApi('/user/wallet/')

/** The statement: every movement with the balance after it, newest first. */
export function Movements() {
  const { page, reason } = route.useSearch()
  const movements = useQuery({
    ...movementsOf(page, reason),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={movements} skeleton={<StatementSkeleton />}>
      {(list) =>
        list.total_count === 0 ? (
          <NoMovements isFiltered={reason !== undefined} />
        ) : (
          <div data-stale={movements.isPlaceholderData}>
            <MovementTable list={list} />
            <PageControl
              page={page}
              pages={pagesOf(list.total_count)}
              link={(other) => ({ to: '/user/wallet', search: { page: other, reason } })}
            />
          </div>
        )
      }
    </Loaded>
  )
}

function NoMovements({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation('wallet')
  return (
    <Empty
      icon={ReceiptText}
      text={isFiltered ? t('noSuchMovements') : t('noMovements')}
      action={
        isFiltered ? (
          <ButtonLink variant="default" to="/user/wallet" search={{}}>
            {t('showAll')}
          </ButtonLink>
        ) : (
          <UnlessBanned>
            <ButtonLink to="/user/wallet/recharge/new">{t('recharge')}</ButtonLink>
          </UnlessBanned>
        )
      }
    />
  )
}

function MovementTable({ list: { movements } }: { list: MovementPage }) {
  const { t } = useTranslation('wallet')
  const currency = useCurrency()
  return (
    <LinedTable className={classes.table}>
      <thead>
        <tr>
          <th>{t('what')}</th>
          <th>{t('when')}</th>
          <th data-align="end">{t('amount')}</th>
          <th data-align="end">{t('after')}</th>
        </tr>
      </thead>
      <tbody>
        {movements.map((movement) => (
          <tr key={movement.id}>
            <td className={classes.what}>
              {[t(`reason.${movement.reason}`), movement.note].filter(Boolean).join(' · ')}
            </td>
            <td className={classes.when}>
              <Moment time={movement.created_at} withTime />
            </td>
            <td className={classes.number} data-gain={Number(movement.amount) > 0}>
              <Money amount={movement.amount} currency={currency} isSigned />
            </td>
            <td className={classes.after} data-label={t('after')}>
              <Money amount={movement.balance_after} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </LinedTable>
  )
}

function StatementSkeleton() {
  return (
    <div className={classes.skeleton}>
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} height={28} />
      ))}
    </div>
  )
}
