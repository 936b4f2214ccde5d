import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  invitePayoutsOptions,
  invitePayoutWithdrawMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { PayoutItem } from '@/lib/api/gen/types.gen'
import { formatMoney } from '@/lib/money'
import { Confirm } from '@/ui/confirm'
import { type Column, DataTable } from '@/ui/data-table'
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
  const { t, i18n } = useTranslation('invite')
  const [chosen, setChosen] = useState<PayoutItem>()
  const [isOpen, setOpen] = useState(false)
  const queryClient = useQueryClient()
  const payouts = useQuery(invitePayoutsOptions())
  const withdraw = useMutation({
    ...invitePayoutWithdrawMutation(),
    onSettled: () => queryClient.invalidateQueries(),
  })
  if (!payouts.data || payouts.data.payouts.length === 0) return null
  return (
    <div>
      <DataTable
        caption={t('payout.list')}
        columns={columnsIn(t, currency, (payout) => {
          setChosen(payout)
          setOpen(true)
        })}
        rows={payouts.data.payouts}
        rowKey={({ id }) => id}
        isCompact
      />
      <Confirm
        opened={isOpen}
        title={t('payout.withdrawTitle')}
        consequence={t('payout.withdrawText', {
          amount: formatMoney(chosen?.amount ?? '0', currency, i18n.language),
        })}
        action={t('payout.withdraw')}
        onConfirm={async () => {
          if (chosen) await withdraw.mutateAsync({ path: { payout_id: chosen.id } })
        }}
        onClose={() => setOpen(false)}
      />
    </div>
  )
}

const columnsIn = (
  t: TFunction<'invite'>,
  currency: string,
  takeBack: (payout: PayoutItem) => void,
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
    cell: (payout) =>
      payout.state === 'open' && (
        <Button variant="default" size="xs" onClick={() => takeBack(payout)}>
          {t('payout.withdraw')}
        </Button>
      ),
  },
]
