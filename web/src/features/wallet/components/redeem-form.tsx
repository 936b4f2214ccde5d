import { Button, Card, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cdKeyRedeemMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { useNow } from '@/lib/now'
import { problemText } from '@/lib/server-problem'
import { formatCountdown } from '@/lib/time'
import { FormColumn } from '@/ui/form-column'
import { grouped, KEY_LENGTH, lengthOf } from '../cd-key'
import { Redeemed } from './redeemed'

function useRedeem() {
  const queryClient = useQueryClient()
  const [blockedUntil, setBlockedUntil] = useState(0)
  const redeem = useMutation({
    ...cdKeyRedeemMutation(),
    onSettled: (_, error, { path }) => {
      // A retry uses the same key only if the answer was lost.
      if (!(error instanceof ApiError && error.isPassing)) forgetIdempotencyKey(path.cd_key)
      if (error instanceof ApiError && error.status === 429 && error.retryAfter)
        setBlockedUntil(Date.now() + error.retryAfter * 1000)
    },
    // The balance or the services have changed.
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return { ...redeem, blockedUntil }
}

function useProblem(wait: number, error: unknown) {
  const { t } = useTranslation('wallet')
  const { t: common } = useTranslation()
  if (wait > 0) return t('cdKey.wait', { time: formatCountdown(wait) })
  if (!error || (error instanceof ApiError && error.status === 429)) return undefined
  return (error instanceof ApiError && error.fields[0]?.message) || problemText(error, common)
}

/** Accepts a key in any notation and shows at the field what is wrong with it. */
export function RedeemForm() {
  const { t } = useTranslation('wallet')
  const [typed, setTyped] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const { mutate, reset, data, error, isPending, blockedUntil } = useRedeem()
  const field = useRef<HTMLInputElement>(null)
  const focus = () => field.current?.focus()
  const wait = blockedUntil - useNow(1000)

  const problem = useProblem(wait, error)
  const incomplete = t('cdKey.incomplete', { count: lengthOf(typed), length: KEY_LENGTH })
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault()
    if (wait > 0) return
    const key = grouped(typed)
    setTyped(key)
    setIncomplete(lengthOf(key) !== KEY_LENGTH)
    if (lengthOf(key) !== KEY_LENGTH) return focus()
    const headers = { 'Idempotency-Key': idempotencyKeyFor(key) }
    mutate({ path: { cd_key: key }, headers }, { onSuccess: () => setTyped(''), onError: focus })
  }

  return (
    <FormColumn>
      <Card component="form" noValidate onSubmit={submit}>
        <TextInput
          ref={field}
          label={t('cdKey.label')}
          description={t('cdKey.hint')}
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={typed}
          onChange={({ currentTarget: { value }, nativeEvent }) => {
            const isPasted =
              nativeEvent instanceof InputEvent && nativeEvent.inputType === 'insertFromPaste'
            setTyped(isPasted ? grouped(value) : value)
            setIncomplete(false)
            if (error || data) reset()
          }}
          onBlur={() => setTyped(grouped(typed))}
          error={isIncomplete ? incomplete : problem}
        />
        <Group mt="md">
          <Button type="submit" loading={isPending} disabled={wait > 0}>
            {t('cdKey.redeem')}
          </Button>
        </Group>
        <div role="status">{data && <Redeemed gift={data} />}</div>
      </Card>
    </FormColumn>
  )
}
