import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { inviteCodesOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { inviteCodeAddRules } from '@/lib/api/gen/rules.gen'
import { inviteCodeAdd } from '@/lib/api/gen/sdk.gen'
import { ApiError } from '@/lib/api/errors'
import { newIdempotencyKey } from '@/lib/idempotency-key'
import { showServerProblem } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import classes from './commission-card.module.css'

/** Makes another invite code, with a text of the user's choice or not. */
export function CodeForm({ leastSize }: { leastSize: number }) {
  const { t } = useTranslation('invite')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { code: '', label: '' } })
  const { errors, isSubmitting } = form.formState
  const [key, setKey] = useState(newIdempotencyKey)
  const submit = form.handleSubmit(async ({ code, label }) => {
    try {
      const body = { ...(code.trim() && { code: code.trim() }), label }
      await inviteCodeAdd({
        body,
        headers: { 'Idempotency-Key': key },
        throwOnError: true,
      })
      setKey(newIdempotencyKey())
      form.reset()
      await queryClient.invalidateQueries({ queryKey: inviteCodesOptions().queryKey })
    } catch (error) {
      if (error instanceof ApiError && !error.isPassing) setKey(newIdempotencyKey())
      showServerProblem(form, error, common)
    }
  })
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <TextInput
        label={t('codes.own')}
        description={t('codes.ownHint', { least: leastSize })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={inviteCodeAddRules.code.maxLength}
        error={errors.code?.message}
        {...form.register('code')}
      />
      <TextInput
        label={t('codes.label')}
        description={t('codes.labelHint')}
        autoComplete="off"
        maxLength={inviteCodeAddRules.label.maxLength}
        error={errors.label?.message}
        {...form.register('label')}
      />
      <div className={classes.wide}>
        <FormError message={errors.root?.message} />
        <Button type="submit" variant="default" loading={isSubmitting}>
          {t('codes.add')}
        </Button>
      </div>
    </form>
  )
}
