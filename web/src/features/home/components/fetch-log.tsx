import { Card, Skeleton, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LinkFetch } from '@/lib/api/gen/types.gen'
import { type Column, DataTable } from '@/ui/data-table'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageControl } from '@/ui/page-control'
import { StatusDot } from '@/ui/status-dot'
import { FETCHES_SHOWN, fetchesOf } from '../queries'

const route = getRouteApi('/user/connection-reset')

/** Who fetched the link, the newest first. */
export function FetchLog() {
  const { t, i18n } = useTranslation('home')
  const { page } = route.useSearch()
  const log = useQuery({
    ...fetchesOf(page),
    placeholderData: keepPreviousData,
  })
  return (
    <section aria-labelledby="fetch-log-title">
      <Title order={2} size="h3" id="fetch-log-title" mb="sm">
        {t('resetPage.log')}
      </Title>
      <Loaded query={log} skeleton={<Skeleton height={240} />} hasCards>
        {({ items, total }) =>
          items.length === 0 ? (
            <Card>
              <Empty icon={Download} text={t('resetPage.empty')} />
            </Card>
          ) : (
            <>
              <DataTable
                caption={t('resetPage.log')}
                columns={columnsIn(t, i18n.language)}
                rows={items}
                rowKey={(row) => items.indexOf(row)}
                isCompact
              />
              <PageControl
                page={page}
                pages={Math.max(1, Math.ceil(total / FETCHES_SHOWN))}
                link={(to) => ({ to: '/user/connection-reset', search: { page: to } })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const columnsIn = (t: TFunction<'home'>, language: string): Column<LinkFetch>[] => [
  {
    key: 'client',
    header: t('resetPage.client'),
    isTitle: true,
    cell: ({ client, version }) =>
      [t(`resetPage.clients.${client}`, { defaultValue: client }), version]
        .filter(Boolean)
        .join(' '),
  },
  {
    key: 'result',
    header: t('resetPage.result'),
    cell: (row) => <Result row={row} />,
  },
  { key: 'when', header: t('resetPage.when'), cell: (row) => <Moment time={row.time} withTime /> },
  { key: 'where', header: t('resetPage.where'), cell: (row) => placeOf(row, language) },
]

function Result({ row }: { row: LinkFetch }) {
  const { t } = useTranslation('home')
  if (row.status >= 400)
    return <StatusDot tone="error">{t('resetPage.refused', { status: row.status })}</StatusDot>
  if (!row.is_current) return <StatusDot tone="neutral">{t('resetPage.former')}</StatusDot>
  return <StatusDot tone="success">{whatCame(row, t)}</StatusDot>
}

function whatCame({ status, format, nodes }: LinkFetch, t: TFunction<'home'>) {
  if (status === 304) return t('resetPage.unchanged')
  return format === 'html' ? t('resetPage.page') : t('resetPage.nodes', { count: nodes })
}

function placeOf({ ip, area }: LinkFetch, language: string) {
  const name = area === 'ZZ' ? '' : new Intl.DisplayNames(language, { type: 'region' }).of(area)
  return [name, ip].filter(Boolean).join(' · ')
}
