import { Box, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { signIn } from '@/lib/api/auth-api'
import { siteOptions } from '@/lib/api/site'
import { FormEnd } from '@/ui/captcha/form-end'
import { useCalls } from '@/ui/captcha/use-calls'
import { lazyPart } from '@/lib/lazy-part'
import { TextLink } from '@/ui/text-link'
import { fieldRules } from '../field-rules'
import { useSignIn } from '../use-sign-in'
import { EmailField } from './email-field'
import { CheckField } from './check-field'
import { PasswordField } from '@/ui/password-field'
import { SecondStepField } from './second-step-field'

const PasskeySignIn = lazyPart(() => import('./passkey-sign-in'), 'PasskeySignIn')

/** Email and password, or a passkey. */
export function PasswordSignIn({ next }: { next: string | undefined }) {
  const { t } = useTranslation('account')
  const { enter, needsSecondStep } = useSignIn(next)
  const rules = fieldRules(t)
  const form = useForm({
    defaultValues: { email: '', password: '', two_fa_code: '', is_remember_me: true },
  })
  const calls = useCalls(form, 'login')
  const { data: site } = useQuery(siteOptions())
  const { errors } = form.formState

  const submit = useOnce(
    form.handleSubmit(({ two_fa_code, ...rest }) =>
      calls.call(
        (proof) => enter(signIn({ ...rest, ...proof, ...(two_fa_code && { two_fa_code }) })),
        () => void submit(),
      ),
    ),
  )

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <EmailField
          register={form.register('email', rules.email)}
          error={errors.email?.message}
          autoComplete="username webauthn"
        />
        <PasswordField
          label={t('field.password')}
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password', rules.required)}
        />
        {needsSecondStep && (
          <SecondStepField
            register={form.register('two_fa_code')}
            error={errors.two_fa_code?.message}
            onComplete={() => void submit()}
          />
        )}
        <CheckField label={t('signIn.remember')} {...form.register('is_remember_me')} />
        <FormEnd calls={calls}>{t('signIn.submit')}</FormEnd>
        <TextLink to="/auth/forgot-password" search={{ next }} ta="center" fz="sm">
          {t('signIn.forgot')}
        </TextLink>
        {site?.passkeys && (
          <Suspense fallback={<Box h={42} />}>
            <PasskeySignIn next={next} isRemembered={() => form.getValues('is_remember_me')} />
          </Suspense>
        )}
      </Stack>
    </form>
  )
}
