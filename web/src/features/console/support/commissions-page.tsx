import { useTranslation } from 'react-i18next'
import type { StaffCommission } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot } from '@/ui/status-dot'
import { ListPage } from '../parts/list-page'
import { Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { commissions } from './resource'

/** What users earned by the orders of those whom they invited. */
export function CommissionsPage() {
  const { t } = useTranslation('console/support')
  return (
    <ListPage
      title={t('commissions.title')}
      about={t('commissions.about')}
      resource={commissions}
      columns={useColumns()}
      filters={[
        { key: 'inviter_id', title: t('commissions.inviterNo'), kind: 'reference' },
        {
          key: 'owed',
          title: t('commissions.owed'),
          kind: 'choice',
          isSingle: true,
          options: [{ value: 'true', label: t('commissions.onlyOwed') }],
        },
      ]}
      empty={t('commissions.empty')}
    />
  )
}

const tones = { pending: 'warning', released: 'success', reversed: 'neutral' } as const

function useColumns(): Column<StaffCommission>[] {
  const { t } = useTranslation('console/support')
  const currency = useCurrency()
  return [
    {
      key: 'inviter',
      title: t('commissions.inviter'),
      place: 'title',
      cell: ({ inviter }) => <Person user={inviter} />,
    },
    {
      key: 'buyer',
      title: t('commissions.buyer'),
      cell: ({ buyer }) => <Person user={buyer} />,
    },
    {
      key: 'order',
      title: t('commissions.order'),
      width: '5rem',
      cell: ({ order_no: no }) => `#${no}`,
    },
    ...(['amount', 'reversed', 'owed'] as const).map((key) => ({
      key,
      title: t(`commissions.${key}`),
      width: '6.5rem',
      align: 'end' as const,
      place: key === 'owed' ? undefined : ('fact' as const),
      cell: (row: StaffCommission) => <Money amount={row[key]} currency={currency} />,
    })),
    {
      key: 'state',
      title: t('column.state'),
      width: '6.5rem',
      place: 'state',
      cell: ({ state }) => (
        <StatusDot tone={tones[state]}>{t(`commissions.state.${state}`)}</StatusDot>
      ),
    },
    {
      key: 'release',
      title: t('commissions.release'),
      width: '6.5rem',
      place: 'fact',
      cell: ({ release_at: time }) => <Moment time={time} />,
    },
  ]
}
