import { zodResolver } from '@hookform/resolvers/zod'
import { Button, Stack, TextInput } from '@mantine/core'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/api/errors'
import { signIn } from '@/api/open-calls'
import { returnPath } from '@/shared/lib/return-path'
import { session } from '@/app/session/current-session'
import { showServerProblem } from '@/shared/lib/server-problem'
import { FormError } from '@/shared/ui/form-error'
import { TextLink } from '@/shared/ui/text-link'
import { AuthCard } from './components/auth-card'
import { CheckField } from './components/check-field'
import { PasswordField } from './components/password-field'
import { signInForm, type SignInForm } from './model'

const route = getRouteApi('/auth/sign-in')

export function SignInPage() {
  const { t } = useTranslation('account')
  const { next } = route.useSearch()
  return (
    <AuthCard
      documentTitle={t('signIn.title')}
      heading={t('signIn.welcome')}
      about={next && t('signIn.ended')}
      below={
        <>
          {t('signIn.noAccount')}{' '}
          <TextLink to="/auth/sign-up" search={{ next }}>
            {t('signIn.toSignUp')}
          </TextLink>
        </>
      }
    >
      <Form next={next} />
    </AuthCard>
  )
}

function Form({ next }: { next: string | undefined }) {
  const { t } = useTranslation('account')
  const { t: common } = useTranslation()
  const router = useRouter()
  const [needsCode, setNeedsCode] = useState(false)
  const form = useForm<SignInForm>({
    resolver: zodResolver(signInForm(t)),
    defaultValues: { email: '', password: '', two_fa_code: '', is_remember_me: true },
  })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async ({ two_fa_code, ...rest }) => {
    try {
      const body = { ...rest, ...(two_fa_code && { two_fa_code }) }
      session.signIn(await signIn(body))
      await router.navigate({ href: returnPath(next), replace: true })
    } catch (error) {
      if (error instanceof ApiError && error.fields.some(({ field }) => field === 'two_fa_code')) {
        setNeedsCode(true)
      }
      showServerProblem(form, error, common)
    }
  })

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('field.email')}
          type="email"
          autoComplete="username"
          inputMode="email"
          autoFocus
          error={errors.email?.message}
          {...form.register('email')}
        />
        <PasswordField
          label={t('field.password')}
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        {needsCode && (
          <TextInput
            label={t('signIn.code')}
            description={t('signIn.codeHint')}
            autoComplete="one-time-code"
            inputMode="numeric"
            autoFocus
            error={errors.two_fa_code?.message}
            {...form.register('two_fa_code')}
          />
        )}
        <CheckField label={t('signIn.remember')} {...form.register('is_remember_me')} />
        <FormError message={errors.root?.message} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  )
}
