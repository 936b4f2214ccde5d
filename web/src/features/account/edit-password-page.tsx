import { resolver } from '@/lib/resolver'
import { Button, Card, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { accountChangePasswordMutation } from '@/lib/api/gen/@tanstack/react-query.gen'
import { ApiError } from '@/lib/api/errors'
import { session, useSession } from '@/lib/session/current-session'
import { showServerProblem } from '@/lib/server-problem'
import { FormColumn } from '@/ui/form-column'
import { FormDone } from '@/ui/form-done'
import { FormError } from '@/ui/form-error'
import { PageHeader } from '@/ui/page-header'
import { PasswordField } from '@/ui/password-field'
import { StrengthBar } from './components/strength-bar'
import { newPasswordForm, type NewPasswordForm } from './model'

// sign-in-page.tsx reads it, too: a module that both import would be loaded by every page.
const unansweredChange = 'unanswered-password-change'

/** Another password: everybody else who is signed in has to sign in again. */
export function EditPasswordPage() {
  const { t } = useTranslation('security')
  return (
    <>
      <PageHeader title={t('password.title')} about={t('password.about')} />
      <FormColumn>
        <Card>
          <Form />
        </Card>
      </FormColumn>
    </>
  )
}

function Form() {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const state = useSession()
  const change = useMutation(accountChangePasswordMutation())
  const form = useForm<NewPasswordForm>({
    resolver: resolver(newPasswordForm(account)),
    defaultValues: { current_password: '', new_password: '' },
  })
  const { errors, isSubmitting } = form.formState
  const password = useWatch({ control: form.control, name: 'new_password' })

  const submit = form.handleSubmit(async (body) => {
    try {
      session.signIn(await change.mutateAsync({ body }))
      sessionStorage.removeItem(unansweredChange)
      form.reset()
    } catch (error) {
      // Either password may be the present one, and the session ends with the old one.
      if (error instanceof ApiError && error.isPassing)
        sessionStorage.setItem(unansweredChange, 'true')
      showServerProblem(form, error, common)
    }
  })

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        {/* Tells password managers whose password it is. */}
        <input
          type="hidden"
          autoComplete="username"
          value={state.status === 'authenticated' ? state.user.email : ''}
        />
        <PasswordField
          label={t('password.current')}
          autoComplete="current-password"
          error={errors.current_password?.message}
          {...form.register('current_password')}
        />
        <PasswordField
          label={t('password.new')}
          description={account('signUp.passwordHint')}
          autoComplete="new-password"
          error={errors.new_password?.message}
          {...form.register('new_password')}
        />
        <StrengthBar password={password} />
        <FormError message={errors.root?.message} />
        <FormDone message={change.isSuccess ? t('password.done') : undefined} />
        <Button type="submit" loading={isSubmitting}>
          {t('password.submit')}
        </Button>
      </Stack>
    </form>
  )
}
