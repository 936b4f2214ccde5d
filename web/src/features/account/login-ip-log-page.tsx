import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { MapPin } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { accountLoginIpLogOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { LoginIp } from '@/lib/api/gen/types.gen'
import { type Column, DataTable } from '@/ui/data-table'
import { ButtonLink } from '@/ui/button-link'
import { Empty } from '@/ui/empty'
import { Loaded } from '@/ui/loaded'
import { Moment } from '@/ui/moment'
import { PageHeader } from '@/ui/page-header'
import { StatusDot } from '@/ui/status-dot'
import { LogSkeleton } from './components/log-skeleton'
import { OriginText } from './components/origin-text'
import { deviceName } from './origin'

/** From where somebody signed in, or tried to. */
export function LoginIpLogPage() {
  const { t } = useTranslation('security')
  const log = useQuery(accountLoginIpLogOptions())
  return (
    <>
      <PageHeader title={t('logins.title')} about={t('logins.about')} />
      <Loaded query={log} skeleton={<LogSkeleton />} hasCards>
        {(list) =>
          list.length === 0 ? (
            <Card>
              <Empty icon={MapPin} text={t('logins.empty')} action={<ToSecurity />} />
            </Card>
          ) : (
            <Log list={list} />
          )
        }
      </Loaded>
    </>
  )
}

function Log({ list }: { list: readonly LoginIp[] }) {
  const { t } = useTranslation('security')
  return (
    <DataTable
      caption={t('logins.title')}
      columns={columnsIn(t)}
      rows={list}
      rowKey={(row) => list.indexOf(row)}
      isCompact
    />
  )
}

const columnsIn = (t: TFunction<'security'>): Column<LoginIp>[] => [
  {
    key: 'result',
    header: t('logins.result'),
    isTitle: true,
    cell: (row) =>
      row.wrong === '' ? (
        <StatusDot tone="success">{t('logins.good')}</StatusDot>
      ) : (
        <StatusDot tone="error">{t(`wrong.${row.wrong}`)}</StatusDot>
      ),
  },
  {
    key: 'when',
    header: t('when'),
    cell: (row) => <Moment time={row.created_at} withTime />,
  },
  {
    key: 'where',
    header: t('where'),
    cell: (row) => <OriginText ip={row.login_ip} area={row.area} />,
  },
  { key: 'device', header: t('device.name'), cell: (row) => deviceName(row, t) },
]

function ToSecurity() {
  const { t } = useTranslation('security')
  return (
    <ButtonLink variant="default" to="/user/account/security">
      {t('security.title')}
    </ButtonLink>
  )
}
