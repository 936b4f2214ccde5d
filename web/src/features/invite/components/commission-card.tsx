import { Button, Card, Group, Skeleton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { inviteWithdrawMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { InviteResult } from '@/lib/api/gen/types.gen'
import { useCurrency } from '@/lib/currency'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { lazyPart } from '@/lib/lazy-part'
import { formatMoney, toMinor } from '@/lib/money'
import { Confirm } from '@/ui/confirm'
import { Fact } from '@/ui/fact'
import { FormDone } from '@/ui/form-done'
import { Money } from '@/ui/money'
import classes from './commission-card.module.css'
import { PayoutList } from './payout-list'

const PayoutForm = lazyPart(() => import('./payout-form'), 'PayoutForm')

/** The commission by its states, and what can be done with what is released. */
export function CommissionCard({ invite }: { invite: InviteResult }) {
  const { t } = useTranslation('invite')
  const currency = useCurrency()
  const states = [
    ['released', invite.released],
    ['pending', invite.pending],
    ['payingOut', invite.paying_out],
  ] as const
  return (
    <Card component="section" aria-labelledby="commission-title" className={classes.card}>
      <h2 id="commission-title" className={classes.title}>
        {t('commission.title')}
      </h2>
      <dl className={classes.states}>
        {states.map(([state, amount]) => (
          <Fact key={state} name={t(`commission.${state}`)}>
            <Money amount={amount} currency={currency} />
          </Fact>
        ))}
      </dl>
      <MoveToWallet amount={invite.released} currency={currency} />
      {invite.payout_min && canAsk(invite, invite.payout_min) && (
        <Suspense fallback={<Skeleton height={180} />}>
          <PayoutForm least={invite.payout_min} currency={currency} />
        </Suspense>
      )}
      <PayoutList currency={currency} />
    </Card>
  )
}

/** One payout at a time, of as much as the site pays at least. */
const canAsk = (invite: InviteResult, least: string) =>
  toMinor(invite.paying_out) === 0 && toMinor(invite.released) >= toMinor(least)

function MoveToWallet({ amount, currency }: { amount: string; currency: string }) {
  const { t, i18n } = useTranslation('invite')
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  // The dialog keeps the amount that it was opened with: the new one is here before it has closed.
  const [chosen, setChosen] = useState(amount)
  const intention = `commission-${chosen}`
  const text = (value: string) => ({ amount: formatMoney(value, currency, i18n.language) })
  const move = useMutation({
    ...inviteWithdrawMutation(),
    onSuccess: async () => {
      forgetIdempotencyKey(intention)
      await queryClient.invalidateQueries()
    },
  })
  return (
    <div>
      {toMinor(amount) > 0 && (
        <Group>
          <Button
            variant="default"
            onClick={() => {
              setChosen(amount)
              setOpen(true)
            }}
          >
            {t('commission.move', text(amount))}
          </Button>
        </Group>
      )}
      <Confirm
        opened={isOpen}
        title={t('commission.move', text(chosen))}
        consequence={t('commission.moveText', text(chosen))}
        action={t('commission.moveNow')}
        onConfirm={() =>
          move.mutateAsync({
            body: { amount: chosen },
            headers: { 'Idempotency-Key': idempotencyKeyFor(intention) },
          })
        }
        onClose={() => setOpen(false)}
      />
      <FormDone message={move.isSuccess ? t('commission.moved') : undefined} />
    </div>
  )
}
