import { Stack } from '@mantine/core'
import { getRouteApi, useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { requestResetCode } from '@/lib/api/auth-api'
import { FormEnd } from '@/ui/captcha/form-end'
import { useCalls } from '@/ui/captcha/use-calls'
import { TextLink } from '@/ui/text-link'
import { EmailField } from './components/email-field'
import { AuthCard } from './components/auth-card'
import { NewPasswordForm } from './components/reset-form'
import { fieldRules } from './field-rules'
import { readResetToken } from './reset-token'
import { type CodeRequest, useCodeRequest } from './use-code-request'

const route = getRouteApi('/auth/forgot-password')

export function ForgotPasswordPage() {
  const { t } = useTranslation('account')
  const { next } = route.useSearch()
  const link = useLinkOfMail()
  const [email, setEmail] = useState(link?.email)
  const request = useCodeRequest(requestResetCode)

  return (
    <AuthCard
      documentTitle={t('forgot.title')}
      heading={t('forgot.heading')}
      about={email === undefined ? t('forgot.about') : undefined}
      below={
        <>
          {t('forgot.known')}{' '}
          <TextLink to="/auth/sign-in" search={{ next }}>
            {t('forgot.toSignIn')}
          </TextLink>
        </>
      }
    >
      {email === undefined ? (
        <AddressForm request={request} onSent={setEmail} />
      ) : (
        <NewPasswordForm
          email={email}
          code={link?.email === email ? link.code : ''}
          request={request}
          onBack={() => setEmail(undefined)}
        />
      )}
    </AuthCard>
  )
}

/** What the link in the mail brought; it does not stay in the address. */
function useLinkOfMail() {
  const router = useRouter()
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const [link] = useState(() => readResetToken(hash))
  useEffect(() => {
    if (hash) void router.navigate({ to: '.', hash: '', search: true, replace: true })
  }, [hash, router])
  return link
}

function AddressForm(props: { request: CodeRequest; onSent: (email: string) => void }) {
  const { t } = useTranslation('account')
  const form = useForm({ defaultValues: { email: '' } })
  const calls = useCalls(form, 'forgot_password')
  const { errors } = form.formState

  const submit = form.handleSubmit(({ email }) =>
    calls.call(
      (proof) => props.request.ask(email, proof).then(() => props.onSent(email)),
      () => void submit(),
    ),
  )

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <EmailField
          register={form.register('email', fieldRules(t).email)}
          error={errors.email?.message}
        />
        <FormEnd calls={calls}>{t('forgot.send')}</FormEnd>
      </Stack>
    </form>
  )
}
