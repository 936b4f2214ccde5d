import { Stack } from '@mantine/core'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { requestSignInCode, signInByCode } from '@/lib/api/auth-api'
import { FormEnd } from '@/ui/captcha/form-end'
import { useCalls } from '@/ui/captcha/use-calls'
import { fieldRules } from '../field-rules'
import { useSignIn } from '../use-sign-in'
import { EmailField } from './email-field'
import { CheckField } from './check-field'
import { RequestedCodeField } from './requested-code-field'
import { SecondStepField } from './second-step-field'

/** Email and a code that is sent to it; goes on by itself at the sixth digit. */
export function CodeSignIn({ next }: { next: string | undefined }) {
  const { t } = useTranslation('account')
  const { enter, needsSecondStep } = useSignIn(next)
  const rules = fieldRules(t)
  const form = useForm({
    defaultValues: { email: '', email_code: '', two_fa_code: '', is_remember_me: true },
  })
  const email = useWatch({ control: form.control, name: 'email' })
  const calls = useCalls(form, 'login')
  const { errors } = form.formState

  const submit = useOnce(
    form.handleSubmit(({ two_fa_code, ...rest }) =>
      calls.callFreely(
        () => enter(signInByCode({ ...rest, ...(two_fa_code && { two_fa_code }) })),
        () => void submit(),
      ),
    ),
  )

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <EmailField register={form.register('email', rules.email)} error={errors.email?.message} />
        <RequestedCodeField
          email={email}
          register={form.register('email_code', rules.emailCode)}
          error={errors.email_code?.message}
          send={requestSignInCode}
          checkEmail={() => form.trigger('email', { shouldFocus: true })}
          onSent={() => {
            form.clearErrors()
            form.setFocus('email_code')
          }}
          call={calls.call}
          onComplete={() => void submit()}
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
      </Stack>
    </form>
  )
}
