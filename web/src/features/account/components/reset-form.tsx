import { Button, Stack } from '@mantine/core'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { resetPassword, signIn } from '@/lib/api/auth-api'
import { FormEnd } from '@/ui/captcha/form-end'
import { useCalls } from '@/ui/captcha/use-calls'
import { session } from '@/lib/session/current-session'
import { returnPath } from '@/lib/return-path'
import { fieldRules } from '../field-rules'
import type { CodeRequest } from '../use-code-request'
import { CodeField } from './code-field'
import { CodeSent } from './code-sent'
import { PasswordField } from '@/ui/password-field'
import { SendCodeButton } from './send-code-button'

const route = getRouteApi('/auth/forgot-password')

type Props = { email: string; code: string; request: CodeRequest; onBack: () => void }

function useReset({ email, code }: Props) {
  const { next } = route.useSearch()
  const router = useRouter()
  const form = useForm({ defaultValues: { email_code: code, password: '' } })
  const calls = useCalls(form)

  const enter = async (password: string) => {
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
  }
  const submit = useOnce(
    form.handleSubmit(({ email_code, password }) =>
      calls.callFreely(
        () => resetPassword({ email, email_code, password }).then(() => enter(password)),
        () => void submit(),
      ),
    ),
  )
  /** Goes on by itself at the sixth digit: to the password, or with it. */
  const complete = () => {
    if (form.getValues('password')) void submit()
    else form.setFocus('password')
  }
  return { form, calls, submit, complete }
}

/** The code from the mail and the new password; signs in with it. */
export function NewPasswordForm(props: Props) {
  const { t } = useTranslation('account')
  const { form, calls, submit, complete } = useReset(props)
  const [isBusy, setBusy] = useState(false)
  const { errors } = form.formState
  const rules = fieldRules(t)

  const askAgain = async () => {
    setBusy(true)
    await calls.call(
      (proof) => props.request.ask(props.email, proof).then(() => form.setFocus('email_code')),
      () => void askAgain(),
    )
    setBusy(false)
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <CodeSent email={props.request.sentTo} />
        {/* For the password manager: whose password this is. */}
        <input type="email" autoComplete="username" value={props.email} readOnly hidden />
        <CodeField
          register={form.register('email_code', rules.emailCode)}
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
          {...form.register('password', rules.newPassword)}
        />
        <FormEnd calls={calls}>{t('forgot.submit')}</FormEnd>
        <Button variant="subtle" fullWidth onClick={props.onBack}>
          {t('forgot.otherEmail')}
        </Button>
      </Stack>
    </form>
  )
}
