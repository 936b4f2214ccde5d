import { Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useForm, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { requestSignUpCode } from '@/lib/api/auth-api'
import { ApiError } from '@/lib/api/errors'
import { type Site, siteOptions } from '@/lib/api/site'
import { goOn } from '@/lib/go-on'
import { returnPath } from '@/lib/return-path'
import { FormEnd } from '@/ui/captcha/form-end'
import { useCalls } from '@/ui/captcha/use-calls'
import { session } from '@/lib/session/current-session'
import { TextLink } from '@/ui/text-link'
import { AcceptTerms } from './components/accept-terms'
import { EmailField } from './components/email-field'
import { AuthCard } from './components/auth-card'
import { PasswordField } from '@/ui/password-field'
import { RequestedCodeField } from './components/requested-code-field'
import { fieldRules } from './field-rules'
import { register } from './register'
import { invitedBy, useInviteCodeCheck } from './use-invite-code'

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
        <Form
          needs={{
            invite: site.sign_up.mode === 'invite',
            code: site.sign_up.email_code,
            legal: site.legal,
          }}
        />
      )}
    </AuthCard>
  )
}

type Needs = { invite: boolean; code: boolean; legal: Site['legal'] }

function useSignUp(needs: Needs) {
  const { next, invite_code: linked } = route.useSearch()
  const router = useRouter()
  const form = useForm({
    defaultValues: {
      email: '',
      email_code: '',
      name: '',
      password: '',
      re_password: '',
      invite_code: invitedBy(linked),
      accepted_terms: false,
    },
  })
  const calls = useCalls(form, 'register')
  const queryClient = useQueryClient()

  /** Terms that changed meanwhile have another version, and are accepted anew. */
  const readTermsAnew = async (error: unknown): Promise<never> => {
    if (error instanceof ApiError && error.fields.some(({ field }) => field === 'accepted_terms')) {
      form.setValue('accepted_terms', false)
      await queryClient.invalidateQueries({ queryKey: siteOptions().queryKey })
    }
    throw error
  }

  const submit = useOnce(
    form.handleSubmit(({ invite_code, email_code, accepted_terms: isAccepted, ...rest }) => {
      const body = {
        ...rest,
        ...(invite_code && { invite_code }),
        ...(email_code && { email_code }),
        ...(isAccepted && needs.legal.version && { accepted_terms: needs.legal.version }),
      }
      // Where a code is needed its request had the captcha.
      const call = needs.code ? calls.callFreely : calls.call
      return call(
        async (proof) => {
          session.signIn(await register({ ...body, ...proof }).catch(readTermsAnew))
          await router.navigate({ href: returnPath(next), replace: true })
        },
        () => void submit(),
      )
    }),
  )
  return { form, calls, submit, checkInvite: useInviteCodeCheck(form, invitedBy(linked)) }
}

function Form({ needs }: { needs: Needs }) {
  const { t } = useTranslation('account')
  const signUpForm = useSignUp(needs)
  const { form, calls, submit, checkInvite } = signUpForm
  const { errors } = form.formState
  const rules = fieldRules(t)

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <EmailField register={form.register('email', rules.email)} error={errors.email?.message} />
        {needs.code && <EmailCode signUp={signUpForm} needsInvite={needs.invite} />}
        <TextInput
          label={t('field.name')}
          autoComplete="nickname"
          error={errors.name?.message}
          {...form.register('name', rules.name)}
        />
        <PasswordField
          label={t('field.password')}
          description={t('signUp.passwordHint')}
          autoComplete="new-password"
          error={errors.password?.message}
          {...form.register('password', rules.newPassword)}
        />
        <PasswordField
          label={t('field.rePassword')}
          autoComplete="new-password"
          error={errors.re_password?.message}
          {...form.register('re_password', rules.repeatedPassword)}
        />
        <TextInput
          label={needs.invite ? t('signUp.inviteLabel') : t('signUp.inviteOptional')}
          description={needs.invite && t('signUp.inviteRequired')}
          autoComplete="off"
          error={errors.invite_code?.message}
          {...form.register('invite_code', {
            ...rules.inviteCode(needs.invite),
            onChange: () => form.clearErrors('invite_code'),
            onBlur: () => checkInvite(form.getValues('invite_code')),
          })}
        />
        {needs.legal.version && (
          <AcceptTerms
            legal={needs.legal}
            error={errors.accepted_terms?.message}
            register={form.register('accepted_terms', { required: t('signUp.acceptRequired') })}
          />
        )}
        <FormEnd calls={calls}>{t('signUp.submit')}</FormEnd>
      </Stack>
    </form>
  )
}

function EmailCode(props: { signUp: ReturnType<typeof useSignUp>; needsInvite: boolean }) {
  const { form, calls, submit } = props.signUp
  const { t } = useTranslation('account')
  const email = useWatch({ control: form.control, name: 'email' })
  return (
    <RequestedCodeField
      email={email}
      register={form.register('email_code', fieldRules(t).emailCode)}
      error={form.formState.errors.email_code?.message}
      send={requestSignUpCode}
      checkEmail={() => form.trigger('email', { shouldFocus: true })}
      onSent={() => {
        form.clearErrors()
        form.setFocus('email_code')
      }}
      call={calls.call}
      onComplete={() => {
        const others = ['email', 'name', 'password', 're_password'] as const
        goOn(form, props.needsInvite ? [...others, 'invite_code'] : [...others], submit)
      }}
    />
  )
}
