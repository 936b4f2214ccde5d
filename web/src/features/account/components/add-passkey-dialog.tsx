import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import {
  accountPasskeyBeginMutation,
  accountPasskeyFinishMutation,
  accountPasskeysQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { resolver } from '@/lib/resolver'
import { goOn } from '@/lib/go-on'
import { showServerProblem } from '@/lib/server-problem'
import { Dialog } from '@/ui/dialog'
import { FormError } from '@/ui/form-error'
import { newPasskeyForm, type NewPasskeyForm } from '../own-account-model'
import { createPasskey, passkeyProblem } from '@/lib/passkey'
import { PasswordField } from '@/ui/password-field'
import { SecondFactorField } from '@/ui/second-factor-field'

/** Name and proof first, then the browser makes the passkey. */
export function AddPasskeyDialog(props: { needsCode: boolean; onClose: () => void }) {
  const { t } = useTranslation('passkey')
  const { t: account } = useTranslation('account')
  const { t: security } = useTranslation('security')
  const { t: common } = useTranslation()
  const add = useAddPasskey()
  const form = useForm<NewPasskeyForm>({
    resolver: resolver(newPasskeyForm(t, account, props.needsCode)),
    defaultValues: { name: '', password: '', ga_token: '' },
  })
  const { errors, isSubmitting } = form.formState

  const submit = useOnce(
    form.handleSubmit(async (body) => {
      try {
        await add(body)
        props.onClose()
      } catch (error) {
        if (error instanceof DOMException)
          form.setError('root', { message: passkeyProblem(error, t, common) })
        else showServerProblem(form, error, common)
      }
    }),
  )

  return (
    <Dialog title={t('add')} onClose={props.onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md">
          <Text c="dimmed">{t('addText')}</Text>
          <TextInput
            label={t('name')}
            description={t('nameHint')}
            data-autofocus
            error={errors.name?.message}
            {...form.register('name')}
          />
          <PasswordField
            label={account('field.password')}
            autoComplete="current-password"
            error={errors.password?.message}
            {...form.register('password')}
          />
          {props.needsCode && (
            <SecondFactorField
              label={security('code.label')}
              hint={security('code.orRecovery')}
              register={form.register('ga_token')}
              error={errors.ga_token?.message}
              onComplete={() => goOn(form, ['password'], submit)}
            />
          )}
          <FormError message={errors.root?.message} />
          <Button type="submit" loading={isSubmitting}>
            {t('create')}
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}

function useAddPasskey() {
  const queryClient = useQueryClient()
  const begin = useMutation(accountPasskeyBeginMutation())
  const finish = useMutation(accountPasskeyFinishMutation())
  return async (body: NewPasskeyForm) => {
    const { options } = await begin.mutateAsync({ body })
    await finish.mutateAsync({ body: { credential: await createPasskey(options) } })
    await queryClient.invalidateQueries({ queryKey: accountPasskeysQueryKey() })
  }
}
