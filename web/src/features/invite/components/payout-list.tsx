import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import {
  invitePayoutsOptions,
  invitePayoutWithdrawMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PayoutItem } from '@/lib/api/gen/types.gen'
import { problemText } from '@/lib/server-problem'
import { type Column, DataTable } from '@/ui/data-table'
import { FormError } from '@/ui/form-error'
import { Moment } from '@/ui/moment'
import { Money } from '@/ui/money'
import { StatusDot, type Tone } from '@/ui/status-dot'

const tones: Record<PayoutItem['state'], Tone> = {
  open: 'info',
  waiting: 'info',
  paid: 'success',
  refused: 'error',
  withdrawn: 'neutral',
}

/** What the user asked to be paid outside of the site; nothing where there is nothing. */
export function PayoutList({ currency }: { currency: string }) {
  const { t } = useTranslation('invite')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const payouts = useQuery(invitePayoutsOptions())
  const withdraw = useMutation({
    ...invitePayoutWithdrawMutation(),
    onSettled: () => queryClient.invalidateQueries(),
  })
  if (!payouts.data || payouts.data.payouts.length === 0) return null
  const takeBack = (payout_id: number) => withdraw.mutate({ path: { payout_id } })
  return (
    <div>
      <DataTable
        caption={t('payout.list')}
        columns={columnsIn(t, currency, takeBack)}
        rows={payouts.data.payouts}
        rowKey={({ id }) => id}
        isCompact
      />
      <FormError message={withdraw.error ? problemText(withdraw.error, common) : undefined} />
    </div>
  )
}

const columnsIn = (
  t: TFunction<'invite'>,
  currency: string,
  takeBack: (id: number) => void,
): Column<PayoutItem>[] => [
  {
    key: 'amount',
    header: t('payout.amount'),
    isTitle: true,
    cell: ({ amount }) => <Money amount={amount} currency={currency} />,
  },
  { key: 'when', header: t('payout.when'), cell: (row) => <Moment time={row.created_at} /> },
  {
    key: 'account',
    header: t('payout.account'),
    cell: ({ method, account }) => `${t(`payout.methods.${method}`)} ${account}`,
  },
  {
    key: 'state',
    header: t('state'),
    cell: ({ state, answer }) => (
      <>
        <StatusDot tone={tones[state]}>{t(`payout.states.${state}`)}</StatusDot>
        {answer && <div>{answer}</div>}
      </>
    ),
  },
  {
    key: 'action',
    header: t('payout.action'),
    cell: ({ id, state }) =>
      state === 'open' && (
        <Button variant="default" size="xs" onClick={() => takeBack(id)}>
          {t('payout.withdraw')}
        </Button>
      ),
  },
]
