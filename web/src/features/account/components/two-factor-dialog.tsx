import { resolver } from '@/lib/resolver'
import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import {
  accountSecurityQueryKey,
  accountSecuritySetMutation,
  accountTwoFactorBeginMutation,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { EnrolmentResult } from '@/lib/api/gen/types.gen'
import { showServerProblem } from '@/lib/server-problem'
import { CodeInput } from '@/ui/code-input'
import { CopyButton } from '@/ui/copy-button'
import { Dialog } from '@/ui/dialog'
import { FormError } from '@/ui/form-error'
import { Qr } from '@/ui/qr'
import { codeForm, type CodeForm } from '../model'
import { ProofForm } from './proof-form'
import { RecoveryCodes } from './recovery-codes'
import classes from './two-factor-dialog.module.css'

/** Password, QR code and first code, recovery codes: three steps. */
export function TwoFactorDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('security')
  const queryClient = useQueryClient()
  const begin = useMutation(accountTwoFactorBeginMutation())
  const confirm = useMutation(accountSecuritySetMutation())
  // Only now: the page behind changes its buttons, and this dialog would go with them.
  const close = () => {
    if (confirm.isSuccess)
      void queryClient.invalidateQueries({ queryKey: accountSecurityQueryKey() })
    onClose()
  }
  return (
    <Dialog
      title={confirm.isSuccess ? t('codes.title') : t('twoFactor.onTitle')}
      isHeld={confirm.isSuccess}
      onClose={close}
    >
      {!begin.isSuccess && (
        <ProofForm
          text={t('twoFactor.onText')}
          action={t('twoFactor.next')}
          onProof={({ password }) => begin.mutateAsync({ body: { password } })}
        />
      )}
      {begin.isSuccess && !confirm.isSuccess && (
        <FirstCode
          enrolment={begin.data}
          onCode={(code) => confirm.mutateAsync({ body: { ga_enable: true, ga_token: code } })}
        />
      )}
      {confirm.isSuccess && <RecoveryCodes codes={confirm.data.recovery_codes} onDone={close} />}
    </Dialog>
  )
}

function FirstCode(props: {
  enrolment: EnrolmentResult
  onCode: (code: string) => Promise<unknown>
}) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const { secret, uri } = props.enrolment
  const form = useForm<CodeForm>({
    resolver: resolver(codeForm(account)),
    defaultValues: { ga_token: '' },
  })
  const { errors, isSubmitting } = form.formState
  const submit = useOnce(
    form.handleSubmit(async ({ ga_token }) => {
      try {
        await props.onCode(ga_token)
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Text>{t('twoFactor.scan')}</Text>
        <div className={classes.qr}>
          <Qr text={uri} label={t('twoFactor.qr')} />
        </div>
        <div className={classes.secret}>
          <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
          <CopyButton text={secret} name={t('twoFactor.secret')} size="sm" />
        </div>
        <CodeInput
          label={t('code.label')}
          description={t('code.digits')}
          autoFocus
          register={form.register('ga_token')}
          error={errors.ga_token?.message}
          onComplete={() => void submit()}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting}>
          {t('twoFactor.turnOn')}
        </Button>
      </Stack>
    </form>
  )
}
