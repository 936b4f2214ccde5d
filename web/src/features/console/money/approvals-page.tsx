import { Text } from '@mantine/core'
import { Check, SquareX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffApprovalDecide } from '@/lib/api/gen/staff/sdk.gen'
import type { ApprovalItem } from '@/lib/api/gen/staff/types.gen'
import { useCurrency } from '@/lib/currency'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import type { Action } from '../parts/action'
import { ListPage } from '../parts/list-page'
import { Maker, Person } from '../parts/person'
import type { Column } from '../parts/resource'
import { useMe } from '../parts/use-me'
import { approvals } from './resources'
import { MoneyState, useStateFilter } from './states'

/** What colleagues gave that is worth money, and what of it waits for a second member. */
export function ApprovalsPage() {
  const { t } = useTranslation('console/money')
  return (
    <ListPage
      title={t('approvals.title')}
      about={t('approvals.about')}
      resource={approvals}
      columns={useColumns()}
      filters={[
        useStateFilter(['waiting', 'approved', 'declined', 'alone'], true),
        { key: 'staff_id', title: t('column.makerNo'), kind: 'reference' },
      ]}
      actions={[useDecision(true), useDecision(false)]}
      nameOf={({ id }) => `#${id}`}
      empty={t('approvals.empty')}
    />
  )
}

function useColumns(): Column<ApprovalItem>[] {
  const { t } = useTranslation('console/money')
  const currency = useCurrency()
  return [
    {
      key: 'kind',
      title: t('column.change'),
      place: 'title',
      // In two lines rather than without its number.
      cell: ({ kind, reference_no: no }) => (
        <Text span inherit style={{ whiteSpace: 'normal' }}>
          {t(`approvalKind.${kind}`)} #{no}
        </Text>
      ),
    },
    {
      key: 'state',
      title: t('column.state'),
      place: 'state',
      width: '10.5rem',
      cell: ({ state }) => <MoneyState state={state} />,
    },
    {
      key: 'worth',
      title: t('column.worth'),
      place: 'fact',
      width: '6.5rem',
      align: 'end',
      cell: ({ worth }) => (worth === null ? '—' : <Money amount={worth} currency={currency} />),
    },
    {
      key: 'for',
      title: t('column.for'),
      width: '10rem',
      cell: ({ beneficiary_id: id, beneficiary_email: email }) => (
        <Person user={id === null ? null : { id, email }} />
      ),
    },
    {
      key: 'maker',
      title: t('column.maker'),
      place: 'fact',
      width: '9rem',
      cell: ({ staff_id: id, staff_email: email }) => (
        <Maker id={id} email={email} none={t('operator')} />
      ),
    },
    {
      key: 'created',
      title: t('column.created'),
      width: '11.5rem',
      cell: ({ created_at: time }) => <Moment time={time} withTime />,
    },
  ]
}

function useDecision(approves: boolean): Action<ApprovalItem> {
  const { t } = useTranslation('console/money')
  const me = useMe()
  const which = approves ? 'approve' : 'decline'
  return {
    key: which,
    icon: approves ? Check : SquareX,
    title: t(`approvals.${which}`),
    permission: 'approval.decide',
    danger: 'C',
    // Nobody decides what they made.
    isShown: ({ state, staff_id: maker }) => state === 'waiting' && maker !== me,
    effect: ({ kind, reference_no: no }) =>
      t(`approvals.${which}Effect`, { what: `${t(`approvalKind.${kind}`)} #${no}` }),
    run: ({ id }) =>
      staffApprovalDecide({
        path: { approval_id: id },
        body: { approve: approves },
        throwOnError: true,
      }),
    done: () => t(`approvals.${which}Done`),
  }
}
