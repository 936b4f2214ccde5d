import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { inviteBuyMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { useCurrency } from '@/lib/currency'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { formatMoney, toAmount, toMinor } from '@/lib/money'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'

const MAX = 100

/** Buys more invites from the balance. */
export function BuyInvites({ price }: { price: string }) {
  const { t, i18n } = useTranslation('invite')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState('1')
  const count = Math.min(MAX, Math.max(1, Math.trunc(Number(typed)) || 1))
  const intention = `invites-${count}`
  const buy = useMutation({
    ...inviteBuyMutation(),
    onSuccess: async () => {
      forgetIdempotencyKey(intention)
      await queryClient.invalidateQueries()
    },
  })
  const amount = formatMoney(toAmount(toMinor(price) * count), useCurrency(), i18n.language)
  const start = () =>
    buy.mutate({ body: { count }, headers: { 'Idempotency-Key': idempotencyKeyFor(intention) } })
  return (
    <div>
      <TextInput
        type="number"
        label={t('buy.count')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setTyped(String(count))}
        min={1}
        max={MAX}
      />
      <Button mt="xs" variant="default" loading={buy.isPending} onClick={start}>
        {t('buy.submit', { amount })}
      </Button>
      <FormError message={buy.error ? problemText(buy.error, common) : undefined} />
    </div>
  )
}
