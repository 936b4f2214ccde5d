import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { accountStepUp } from '@/lib/api/gen/sdk.gen'
import { showServerProblem } from '@/lib/server-problem'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import { PasswordField } from '@/ui/password-field'

/** Takes the password, with the second factor where it is on. */
export function PasswordForm(props: { needsCode: boolean; onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation('step-up')
  const { t: common } = useTranslation()
  const form = useForm({ defaultValues: { password: '', code: '' } })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async ({ password, code }) => {
    try {
      await accountStepUp({
        body: { password, ...(props.needsCode && { code: code.trim() }) },
        throwOnError: true,
      })
      props.onEnd(true)
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <PasswordField
          label={t('password')}
          autoComplete="current-password"
          autoFocus // shown after the dialog, once the ways are known
          error={errors.password?.message}
          {...form.register('password')}
        />
        {props.needsCode && (
          <TextInput
            label={t('code')}
            autoComplete="one-time-code"
            error={errors.code?.message}
            {...form.register('code')}
          />
        )}
        <FormError message={errors.root?.message} />
        <DialogActions>
          <Button variant="default" onClick={() => props.onEnd(false)}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={isSubmitting}>
            {t('go')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}
