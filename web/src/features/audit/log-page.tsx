import { Card, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AuditRecord } from '@/lib/api/gen/types.gen'
import { ButtonLink } from '@/ui/button-link'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageControl } from '@/ui/page-control'
import { PageHeader } from '@/ui/page-header'
import { TableSkeleton } from './components/table-skeleton'
import { PAGE_SIZE, recordsOf } from './queries'

const route = getRouteApi('/user/audit/view')

/** What the audit rules stopped of the user's, all of them or one. */
export function LogPage() {
  const { t } = useTranslation('audit')
  const { page, rule } = route.useSearch()
  const records = useQuery({
    ...recordsOf(page, rule),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader title={t('log.title')} about={t('log.about')} action={rule && <ToAll />} />
      <Loaded query={records} skeleton={<TableSkeleton isCompact />} hasCards>
        {({ records: list, total_count: total }) =>
          list.length === 0 ? (
            <Card>
              <Empty
                icon={ShieldCheck}
                text={t(total > 0 ? 'log.noMore' : rule ? 'log.emptyOf' : 'log.empty')}
                action={total > 0 ? <ToNewest /> : <ToRules />}
              />
            </Card>
          ) : (
            <div data-stale={records.isPlaceholderData}>
              <DataTable
                caption={t('log.title')}
                columns={columnsIn(t)}
                rows={list}
                rowKey={({ id }) => id}
                isCompact
              />
              <PageControl
                page={page}
                pages={Math.max(1, Math.ceil(total / PAGE_SIZE))}
                link={(other) => ({ to: '/user/audit/view', search: { page: other, rule } })}
              />
            </div>
          )
        }
      </Loaded>
    </>
  )
}

const columnsIn = (t: TFunction<'audit'>): Column<AuditRecord>[] => [
  { key: 'rule', header: t('rule'), isTitle: true, cell: (record) => record.rule_name },
  {
    key: 'node',
    header: t('log.node'),
    cell: ({ node_name: name }) =>
      name ?? (
        <Text c="dimmed" inherit span>
          {t('log.gone')}
        </Text>
      ),
  },
  {
    key: 'when',
    header: t('log.when'),
    cell: (record) => <Moment time={record.created_at} withTime />,
  },
  {
    key: 'count',
    header: t('log.count'),
    align: 'end',
    cell: ({ count }) => t('times', { count }),
  },
]

function ToAll() {
  const { t } = useTranslation('audit')
  return (
    <ButtonLink variant="default" to="/user/audit/view">
      {t('log.all')}
    </ButtonLink>
  )
}

function ToNewest() {
  const { t } = useTranslation('audit')
  return (
    <ButtonLink variant="default" to="/user/audit/view" search={({ rule }) => ({ rule })}>
      {t('log.newest')}
    </ButtonLink>
  )
}

function ToRules() {
  const { t } = useTranslation('audit')
  return (
    <ButtonLink variant="default" to="/user/audit">
      {t('log.toRules')}
    </ButtonLink>
  )
}
