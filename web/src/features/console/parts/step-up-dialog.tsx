import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { post } from '@/lib/api/auth-api'
import { staffStepUp } from '@/lib/api/gen/staff/sdk.gen'
import type { AuthPasskeyBeginData, AuthPasskeyBeginResponse } from '@/lib/api/gen/types.gen'
import { ApiError } from '@/lib/api/errors'
import { askForPasskey, hasPasskeys, passkeyProblem } from '@/lib/passkey'
import { showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { DialogActions } from '@/ui/dialog-actions'
import { FormError } from '@/ui/form-error'
import { PasswordField } from '@/ui/password-field'

/** Asks for the password, with the second factor where it is on, or for a passkey. */
export function StepUpDialog({ onEnd }: { onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation('console/parts')
  return (
    <Dialog title={t('stepUp.title')} onClose={() => onEnd(false)}>
      <Stack gap="md">
        <Text>{t('stepUp.about')}</Text>
        <PasswordForm onEnd={onEnd} />
        {hasPasskeys() && <PasskeyButton onProved={() => onEnd(true)} />}
      </Stack>
    </Dialog>
  )
}

function PasswordForm({ onEnd }: { onEnd: (isProved: boolean) => void }) {
  const { t } = useTranslation('console/parts')
  const { t: common } = useTranslation()
  const [asksCode, setAsksCode] = useState(false)
  const form = useForm({ defaultValues: { password: '', code: '' } })
  const { errors, isSubmitting } = form.formState
  const cancel = () => onEnd(false)

  const submit = form.handleSubmit(async ({ password, code }) => {
    try {
      await staffStepUp({
        body: { password, ...(asksCode && { code: code.trim() }) },
        throwOnError: true,
      })
      onEnd(true)
    } catch (error) {
      const isCode = error instanceof ApiError && error.fields.some(({ field }) => field === 'code')
      if (isCode && !asksCode) setAsksCode(true)
      else showServerProblem(form, error, common)
    }
  })

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <PasswordField
          label={t('stepUp.password')}
          autoComplete="current-password"
          data-autofocus
          error={errors.password?.message}
          {...form.register('password')}
        />
        {asksCode && (
          <TextInput
            label={t('stepUp.code')}
            autoComplete="one-time-code"
            autoFocus
            error={errors.code?.message}
            {...form.register('code')}
          />
        )}
        <FormError message={errors.root?.message} />
        <DialogActions>
          <Button variant="default" onClick={cancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={isSubmitting}>
            {t('stepUp.go')}
          </Button>
        </DialogActions>
      </Stack>
    </form>
  )
}

// Not by the generated call, which all customers' pages would carry then.
const beginPasskey = () =>
  post<AuthPasskeyBeginData, AuthPasskeyBeginResponse>('/api/v2/auth/passkey/begin')

function PasskeyButton({ onProved }: { onProved: () => void }) {
  const { t } = useTranslation('console/parts')
  const { t: passkey } = useTranslation('passkey')
  const { t: common } = useTranslation()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const use = async () => {
    setProblem(undefined)
    setBusy(true)
    try {
      const { options } = await beginPasskey()
      const credential = await askForPasskey(options, { signal: new AbortController().signal })
      await staffStepUp({ body: { credential }, throwOnError: true })
      onProved()
    } catch (error) {
      setProblem(passkeyProblem(error, passkey, common))
      setBusy(false)
    }
  }
  return (
    <>
      <Button variant="default" fullWidth loading={isBusy} onClick={() => void use()}>
        {t('stepUp.passkey')}
      </Button>
      <FormError message={problem} />
    </>
  )
}
