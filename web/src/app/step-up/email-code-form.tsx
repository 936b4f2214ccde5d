import { Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { accountStepUp, accountStepUpRequestCode } from '@/lib/api/gen/sdk.gen'
import { showServerProblem } from '@/lib/server-problem'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'

/** Sends a code by mail on request and takes it, with the second factor where it is on. */
export function EmailCodeForm(props: { needsCode: boolean; onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation('step-up')
  const { t: common } = useTranslation()
  const [isSent, setSent] = useState(false)
  const form = useForm({ defaultValues: { email_code: '', code: '' } })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async ({ email_code, code }) => {
    try {
      if (!isSent) {
        await accountStepUpRequestCode({ throwOnError: true })
        return setSent(true)
      }
      const body = { email_code, ...(props.needsCode && { code: code.trim() }) }
      await accountStepUp({ body, throwOnError: true })
      props.onEnd(true)
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {isSent && (
          <TextInput
            label={t('emailCode')}
            autoComplete="one-time-code"
            inputMode="numeric"
            autoFocus
            error={errors.email_code?.message}
            {...form.register('email_code')}
          />
        )}
        {isSent && props.needsCode && (
          <TextInput label={t('code')} error={errors.code?.message} {...form.register('code')} />
        )}
        <FormError message={errors.root?.message} />
        <DialogActions>
          <Button variant="default" onClick={() => props.onEnd(false)}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={isSubmitting}>
            {t(isSent ? 'go' : 'send')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}
