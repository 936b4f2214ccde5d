import { zodResolver } from '@hookform/resolvers/zod'
import { Button, Stack } from '@mantine/core'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { resetPassword, signIn } from '@/api/open-calls'
import { session } from '@/app/session/current-session'
import { returnPath } from '@/shared/lib/return-path'
import { showServerProblem } from '@/shared/lib/server-problem'
import { FormError } from '@/shared/ui/form-error'
import { resetForm, type ResetForm } from '../model'
import type { CodeRequest } from '../use-code-request'
import { CodeField } from './code-field'
import { CodeSent } from './code-sent'
import { PasswordField } from './password-field'
import { SendCodeButton } from './send-code-button'

const route = getRouteApi('/auth/forgot-password')

type Props = { email: string; code: string; request: CodeRequest; onBack: () => void }

function useReset({ email, code }: Props) {
  const { t } = useTranslation('account')
  const { t: common } = useTranslation()
  const { next } = route.useSearch()
  const router = useRouter()
  const form = useForm<ResetForm>({
    resolver: zodResolver(resetForm(t)),
    defaultValues: { email_code: code, password: '' },
  })
  const refuse = (error: unknown) => showServerProblem(form, error, common)

  const submit = form.handleSubmit(async ({ email_code, password }) => {
    try {
      await resetPassword({ email, email_code, password })
    } catch (error) {
      return refuse(error)
    }
    try {
      session.signIn(await signIn({ email, password }))
      await router.navigate({ href: returnPath(next), replace: true })
    } catch {
      // The second step, or whatever it is: the sign-in page knows.
      await router.navigate({
        to: '/auth/sign-in',
        search: { next, done: 'password' },
        replace: true,
      })
    }
  })
  /** Goes on by itself at the sixth digit: to the password, or with it. */
  const complete = () => {
    if (form.getValues('password')) void submit()
    else form.setFocus('password')
  }
  return { form, submit, complete, refuse }
}

/** The code from the mail and the new password; signs in with it. */
export function NewPasswordForm(props: Props) {
  const { t } = useTranslation('account')
  const { form, submit, complete, refuse } = useReset(props)
  const [isBusy, setBusy] = useState(false)
  const { errors, isSubmitting } = form.formState

  const askAgain = async () => {
    setBusy(true)
    await props.request.ask(props.email).then(() => form.setFocus('email_code'), refuse)
    setBusy(false)
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <CodeSent email={props.request.sentTo} />
        {/* For the password manager: whose password this is. */}
        <input type="email" autoComplete="username" value={props.email} readOnly hidden />
        <CodeField
          register={form.register('email_code')}
          error={errors.email_code?.message}
          autoFocus={!props.code}
          onComplete={complete}
          button={
            <SendCodeButton
              request={props.request}
              email={props.email}
              isBusy={isBusy}
              onClick={() => void askAgain()}
            />
          }
        />
        <PasswordField
          label={t('forgot.newPassword')}
          description={t('signUp.passwordHint')}
          autoComplete="new-password"
          autoFocus={Boolean(props.code)}
          error={errors.password?.message}
          {...form.register('password')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t('forgot.submit')}
        </Button>
        <Button variant="subtle" fullWidth onClick={props.onBack}>
          {t('forgot.otherEmail')}
        </Button>
      </Stack>
    </form>
  )
}
