import { zodResolver } from '@hookform/resolvers/zod'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { signUp } from '@/api/open-calls'
import { siteOptions } from '@/api/site'
import { returnPath } from '@/shared/lib/return-path'
import { session } from '@/app/session/current-session'
import { showServerProblem } from '@/shared/lib/server-problem'
import { FormError } from '@/shared/ui/form-error'
import { TextLink } from '@/shared/ui/text-link'
import { AuthCard } from './components/auth-card'
import { PasswordField } from './components/password-field'
import { signUpForm, type SignUpForm } from './model'

const route = getRouteApi('/auth/sign-up')

export function SignUpPage() {
  const { t } = useTranslation('account')
  const { next } = route.useSearch()
  const { data: site } = useSuspenseQuery(siteOptions())
  const isClosed = site.sign_up.mode === 'closed'

  return (
    <AuthCard
      documentTitle={t('signUp.title')}
      heading={isClosed ? t('signUp.closedTitle') : t('signUp.welcome')}
      below={
        <>
          {t('signUp.haveAccount')}{' '}
          <TextLink to="/auth/sign-in" search={{ next }}>
            {t('signUp.toSignIn')}
          </TextLink>
        </>
      }
    >
      {isClosed ? (
        <Text c="dimmed">{t('signUp.closedText')}</Text>
      ) : (
        <Form needsInvite={site.sign_up.mode === 'invite'} />
      )}
    </AuthCard>
  )
}

function useSignUp(needsInvite: boolean) {
  const { t } = useTranslation('account')
  const { t: common } = useTranslation()
  const { next, code } = route.useSearch()
  const router = useRouter()
  const form = useForm<SignUpForm>({
    resolver: zodResolver(signUpForm(t, needsInvite)),
    defaultValues: { email: '', name: '', password: '', re_password: '', invite_code: code ?? '' },
  })

  const submit = form.handleSubmit(async ({ invite_code, ...rest }) => {
    try {
      const body = { ...rest, ...(invite_code && { invite_code }) }
      session.signIn(await signUp(body))
      await router.navigate({ href: returnPath(next), replace: true })
    } catch (error) {
      showServerProblem(form, error, common)
    }
  })
  return { form, submit }
}

function Form({ needsInvite }: { needsInvite: boolean }) {
  const { t } = useTranslation('account')
  const { form, submit } = useSignUp(needsInvite)
  const { errors, isSubmitting } = form.formState

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
        <TextInput
          label={t('field.name')}
          autoComplete="nickname"
          error={errors.name?.message}
          {...form.register('name')}
        />
        <PasswordField
          label={t('field.password')}
          description={t('signUp.passwordHint')}
          autoComplete="new-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <PasswordField
          label={t('field.rePassword')}
          autoComplete="new-password"
          error={errors.re_password?.message}
          {...form.register('re_password')}
        />
        <TextInput
          label={needsInvite ? t('signUp.inviteLabel') : t('signUp.inviteOptional')}
          description={needsInvite && t('signUp.inviteRequired')}
          autoComplete="off"
          error={errors.invite_code?.message}
          {...form.register('invite_code')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t('signUp.submit')}
        </Button>
      </Stack>
    </form>
  )
}
