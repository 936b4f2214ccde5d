import { Button, Card, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { TFunction } from 'i18next'
import { Controller, useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { cdKeyRedeemMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { forgetIdempotencyKey, idempotencyKeyFor } from '@/lib/idempotency-key'
import { useNow } from '@/lib/now'
import { problemText } from '@/lib/server-problem'
import { formatCountdown } from '@/lib/countdown'
import { FormColumn } from '@/ui/form-column'
import { grouped, KEY_LENGTH, lengthOf } from '../cd-key'
import { Redeemed } from './redeemed'
import classes from './redeemed.module.css'

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

/** The server's words about the key; none while the form says how long to wait. */
function problemOf(error: unknown, t: TFunction<'common'>): string | undefined {
  if (!(error instanceof ApiError)) return problemText(error, t)
  return error.status === 429 ? undefined : error.fields[0]?.message || problemText(error, t)
}

function useRedeemForm() {
  const { t } = useTranslation()
  const { mutateAsync, reset, data, isIdle, isPending, blockedUntil } = useRedeem()
  // What is wrong disappears with the first change, and is found again when the key is sent.
  const form = useForm({ defaultValues: { cd_key: '' }, reValidateMode: 'onSubmit' })
  const wait = blockedUntil - useNow(1000)

  const submit = form.handleSubmit(async ({ cd_key }) => {
    const headers = { 'Idempotency-Key': idempotencyKeyFor(cd_key) }
    try {
      await mutateAsync({ path: { cd_key }, headers })
      form.reset()
    } catch (error) {
      const message = problemOf(error, t)
      if (message) form.setError('cd_key', { message }, { shouldFocus: true })
      else form.setFocus('cd_key')
    }
  })
  return {
    form,
    data,
    isIdle,
    isPending,
    wait,
    changed: () => {
      form.clearErrors()
      if (!isPending) reset()
    },
    submit: (event: FormEvent) => {
      event.preventDefault()
      if (wait > 0) return
      form.setValue('cd_key', grouped(form.getValues('cd_key')))
      void submit()
    },
  }
}

/** Accepts a key in any notation and shows at the field what is wrong with it. */
export function RedeemForm() {
  const { t } = useTranslation('wallet')
  const { form, data, isIdle, isPending, wait, changed, submit } = useRedeemForm()
  const waiting = wait > 0 ? t('cdKey.wait', { time: formatCountdown(wait) }) : undefined
  return (
    <FormColumn>
      <Card component="form" noValidate onSubmit={submit}>
        <Controller
          name="cd_key"
          control={form.control}
          rules={{ validate: (key) => lengthOf(key) === KEY_LENGTH || incomplete(t, key) }}
          render={({ field, fieldState }) => (
            <TextInput
              label={t('cdKey.label')}
              description={t('cdKey.hint')}
              placeholder="XXXXX-XXXXX-…"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              {...field}
              onChange={({ currentTarget: { value }, nativeEvent }) => {
                const isPasted =
                  nativeEvent instanceof InputEvent && nativeEvent.inputType === 'insertFromPaste'
                field.onChange(isPasted ? grouped(value) : value)
                changed()
              }}
              onBlur={() => field.onChange(grouped(field.value))}
              error={fieldState.error?.message ?? waiting}
            />
          )}
        />
        <Group mt="md">
          <Button type="submit" loading={isPending} disabled={wait > 0}>
            {t('cdKey.redeem')}
          </Button>
        </Group>
        <div role="status" className={isIdle ? undefined : classes.outcome}>
          {data && <Redeemed gift={data} />}
        </div>
      </Card>
    </FormColumn>
  )
}

const incomplete = (t: TFunction<'wallet'>, key: string) =>
  t('cdKey.incomplete', { count: lengthOf(key), length: KEY_LENGTH })
