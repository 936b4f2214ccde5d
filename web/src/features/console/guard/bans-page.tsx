import { Group } from '@mantine/core'
import { Ban, LockOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffIpBanRules as bounds } from '@/lib/api/gen/staff/rules.gen'
import { staffIpBan, staffIpUnban } from '@/lib/api/gen/staff/sdk.gen'
import type { IpBanItem } from '@/lib/api/gen/staff/types.gen'
import { useNow } from '@/lib/now'
import { ButtonLink } from '@/ui/button-link'
import { Moment } from '@/ui/moment'
import { StatusDot } from '@/ui/status-dot'
import type { Action } from '../parts/action'
import { ActionButton } from '../parts/action-runner'
import { ListPage } from '../parts/list-page'
import { useMay } from '../parts/permissions'
import { Maker } from '../parts/person'
import type { Column } from '../parts/resource'
import { inputTime, timeInput } from '../parts/time-input'
import { bans } from './resource'

const DAY_MS = 86_400_000

/** The networks whose requests the site refuses. */
export function BansPage() {
  const { t } = useTranslation('console/guard')
  const may = useMay()
  return (
    <ListPage
      title={t('bans.title')}
      about={t('bans.about')}
      resource={bans}
      columns={useColumns()}
      actions={[useLift()]}
      nameOf={({ network }) => network}
      empty={t('bans.empty')}
      action={
        <Group gap="xs">
          {may('node.blocked_address.read') && (
            <ButtonLink variant="default" size="sm" to="/admin/blocked-addresses">
              {t('blocked.title')}
            </ButtonLink>
          )}
          <ActionButton subject={undefined} action={useBan()} isPrimary />
        </Group>
      }
    />
  )
}

function State({ ban }: { ban: IpBanItem }) {
  const { t } = useTranslation('console/guard')
  const waits = useNow() < new Date(ban.starts_at).getTime()
  return (
    <StatusDot tone={waits ? 'neutral' : 'error'}>
      {t(waits ? 'bans.waits' : 'bans.runs')}
    </StatusDot>
  )
}

function useColumns(): Column<IpBanItem>[] {
  const { t } = useTranslation('console/guard')
  return [
    {
      key: 'network',
      title: t('column.network'),
      place: 'title',
      width: '13rem',
      cell: ({ network }) => network,
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '8rem',
      cell: (ban) => <State ban={ban} />,
    },
    {
      key: 'ends',
      title: t('column.ends'),
      place: 'fact',
      width: '12rem',
      cell: ({ ends_at: time }) => <Moment time={time} withTime />,
    },
    { key: 'reason', title: t('column.reason'), place: 'fact', cell: ({ reason }) => reason },
    { key: 'remark', title: t('column.remark'), cell: ({ remark }) => remark || '—' },
    {
      key: 'by',
      title: t('column.madeBy'),
      width: '13rem',
      cell: ({ made_by: id, made_by_email: email }) => <Maker id={id} email={email} />,
    },
  ]
}

function useBan(): Action<undefined> {
  const { t } = useTranslation('console/guard')
  return {
    key: 'ban',
    icon: Ban,
    title: t('bans.new'),
    permission: 'network.ban',
    danger: 'C',
    fields: () => [
      {
        name: 'ip_cidr',
        label: t('column.network'),
        hint: t('bans.networkHint'),
        kind: 'text',
        isRequired: true,
        rules: bounds.ip_cidr,
      },
      {
        name: 'task_end_at',
        label: t('column.ends'),
        kind: 'datetime',
        isRequired: true,
        initial: timeInput(new Date(Date.now() + DAY_MS).toISOString()),
      },
      {
        name: 'ban_context',
        label: t('column.reason'),
        hint: t('bans.reasonHint'),
        kind: 'textarea',
        isRequired: true,
        rules: bounds.ban_context,
      },
      {
        name: 'remark',
        label: t('column.remark'),
        hint: t('bans.remarkHint'),
        kind: 'text',
        rules: bounds.remark,
      },
    ],
    effect: (_, { ip_cidr: network }) => t('bans.effect', { network: String(network || '…') }),
    run: (_, values) =>
      staffIpBan({
        body: {
          ip_cidr: String(values.ip_cidr),
          task_end_at: inputTime(values.task_end_at),
          ban_context: String(values.ban_context),
          remark: String(values.remark),
        },
        throwOnError: true,
      }),
    done: () => t('bans.made'),
  }
}

function useLift(): Action<IpBanItem> {
  const { t } = useTranslation('console/guard')
  return {
    key: 'lift',
    icon: LockOpen,
    title: t('bans.lift'),
    permission: 'network.ban',
    danger: 'C',
    effect: ({ network }) => t('bans.liftEffect', { network }),
    run: ({ network }) => staffIpUnban({ body: { ip_cidr: network }, throwOnError: true }),
    done: ({ network }) => t('bans.lifted', { network }),
  }
}
