import { resolver } from '@/lib/resolver'
import { Button, Stack, Text } from '@mantine/core'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { goOn } from '@/lib/go-on'
import { showServerProblem } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { proofForm, type ProofForm as Proof } from '../model'
import { PasswordField } from '@/ui/password-field'
import { SecondFactorField } from '@/ui/second-factor-field'

/** Asks for the password, and with `needsCode` for a code too, before something that matters. */
export function ProofForm(props: {
  text: string
  action: string
  isDanger?: boolean
  needsCode?: boolean
  onProof: (proof: Proof) => Promise<unknown>
}) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const form = useForm<Proof>({
    resolver: resolver(proofForm(account, props.needsCode ?? false)),
    defaultValues: { password: '', ga_token: '' },
  })
  const { errors, isSubmitting } = form.formState
  const submit = useOnce(
    form.handleSubmit(async (proof) => {
      try {
        await props.onProof(proof)
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Text c="dimmed">{props.text}</Text>
        <PasswordField
          label={account('field.password')}
          autoComplete="current-password"
          data-autofocus
          error={errors.password?.message}
          {...form.register('password')}
        />
        {props.needsCode && (
          <SecondFactorField
            label={t('code.label')}
            hint={t('code.orRecovery')}
            register={form.register('ga_token')}
            error={errors.ga_token?.message}
            onComplete={() => goOn(form, ['password'], submit)}
          />
        )}
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting} {...(props.isDanger && { color: 'red' })}>
          {props.action}
        </Button>
      </Stack>
    </form>
  )
}
