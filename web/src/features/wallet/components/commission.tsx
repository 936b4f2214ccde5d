import { Button, Card } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { inviteWithdrawMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import type { WalletResult } from '@/lib/api/gen/types.gen'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { formatMoney, toMinor } from '@/lib/money'
import { problemText } from '@/lib/server-problem'
import { FormDone } from '@/ui/form-done'
import { FormError } from '@/ui/form-error'
import { Money } from '@/ui/money'
import classes from './balance.module.css'
import { Figure } from './figure'

/**
 * The earned commission: the amount that can be moved to the balance, and what is not released yet. It has the same
 * height whatever there is, so that nothing moves when the amounts arrive.
 */
export function Commission({
  wallet,
}: {
  wallet: Pick<WalletResult, 'invite_balance' | 'invite_pending' | 'currency'>
}) {
  const { t, i18n } = useTranslation('wallet')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const { invite_balance: amount, invite_pending: pending, currency } = wallet
  const intention = `commission-${amount}`
  const move = useMutation({
    ...inviteWithdrawMutation(),
    onSuccess: async () => {
      forgetIdempotencyKey(intention)
      await queryClient.invalidateQueries()
    },
  })
  const canMove = toMinor(amount) > 0
  return (
    <Card component="section" aria-label={t('commission.title')} className={classes.card}>
      <Figure name={t('commission.title')}>
        <Money amount={amount} currency={currency} size="figure" />
      </Figure>
      <Figure name={t('commission.pending')} note={t('commission.pendingWhy')}>
        <Money amount={pending} currency={currency} />
      </Figure>
      <Button
        variant="default"
        loading={move.isPending}
        disabled={!canMove}
        onClick={() =>
          move.mutate({
            body: { amount },
            headers: { 'Idempotency-Key': idempotencyKeyFor(intention) },
          })
        }
      >
        {t('commission.move', { amount: formatMoney(amount, currency, i18n.language) })}
      </Button>
      <FormError message={move.error ? problemText(move.error, common) : undefined} />
      <FormDone message={move.isSuccess ? t('commission.moved') : undefined} />
    </Card>
  )
}
