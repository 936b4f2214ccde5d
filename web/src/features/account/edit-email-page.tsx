import { Button, Card, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import {
  accountEditEmailMutation,
  accountEditEmailRequestCodeMutation,
  accountMeOptions,
  accountMeQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import { session } from '@/lib/session/current-session'
import { goOn } from '@/lib/go-on'
import { resolver } from '@/lib/resolver'
import { showServerProblem } from '@/lib/server-problem'
import { FormColumn } from '@/ui/form-column'
import { FormDone } from '@/ui/form-done'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { PageHeader } from '@/ui/page-header'
import { CodeField } from './components/code-field'
import { PasswordField } from '@/ui/password-field'
import {
  type EmailCodesForm,
  emailCodesForm,
  type NewEmailForm,
  newEmailForm,
} from './own-account-model'

/** Another address: it and the password first, then the codes that went to the new and the present one. */
export function EditEmailPage() {
  const { t } = useTranslation('security')
  const me = useQuery(accountMeOptions())
  return (
    <>
      <PageHeader title={t('email.title')} about={t('email.about')} />
      <FormColumn>
        <Card>
          <Loaded query={me} skeleton={<Skeleton height={190} />}>
            {(found) => <Steps present={found.email} />}
          </Loaded>
        </Card>
      </FormColumn>
    </>
  )
}

function Steps({ present }: { present: string }) {
  const { t } = useTranslation('security')
  const [email, setEmail] = useState<string>()
  const [isDone, setDone] = useState(false)
  const [wasSent, setSent] = useState(false)
  if (isDone) return <FormDone message={t('email.done')} isInPlace />
  if (email === undefined) {
    const sent = (to: string) => {
      setEmail(to)
      setSent(true)
    }
    return <NewAddress isAgain={wasSent} onSent={sent} />
  }
  return (
    <Codes
      present={present}
      email={email}
      onDone={() => setDone(true)}
      onOther={() => setEmail(undefined)}
    />
  )
}

function NewAddress(props: { isAgain: boolean; onSent: (email: string) => void }) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const request = useMutation(accountEditEmailRequestCodeMutation())
  const form = useForm<NewEmailForm>({
    resolver: resolver(newEmailForm(account)),
    defaultValues: { email: '', current_password: '' },
  })
  const { errors, isSubmitting } = form.formState
  const submit = useOnce(
    form.handleSubmit(async (body) => {
      try {
        await request.mutateAsync({ body })
        props.onSent(body.email)
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('email.new')}
          type="email"
          autoComplete="email"
          inputMode="email"
          autoFocus={props.isAgain}
          error={errors.email?.message}
          {...form.register('email')}
        />
        <PasswordField
          label={t('password.current')}
          autoComplete="current-password"
          error={errors.current_password?.message}
          {...form.register('current_password')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting}>
          {t('email.send')}
        </Button>
      </Stack>
    </form>
  )
}

function Codes(props: { present: string; email: string; onDone: () => void; onOther: () => void }) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const { present, email } = props
  const queryClient = useQueryClient()
  const edit = useMutation(accountEditEmailMutation())
  const form = useForm<EmailCodesForm>({
    resolver: resolver(emailCodesForm(account)),
    defaultValues: { email_code: '', current_email_code: '' },
  })
  const { errors, isSubmitting } = form.formState
  const submit = useOnce(
    form.handleSubmit(async (codes) => {
      try {
        await edit.mutateAsync({ body: { email, ...codes } })
        props.onDone()
        await queryClient.invalidateQueries({ queryKey: accountMeQueryKey() })
        // The address is in the token.
        await session.refresh()
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Text role="status">{t('email.sent', { present, email })}</Text>
        <CodeField
          label={t('email.presentCode', { email: present })}
          autoFocus
          error={errors.current_email_code?.message}
          register={form.register('current_email_code')}
          onComplete={() => goOn(form, ['email_code'], submit)}
        />
        <CodeField
          label={t('email.newCode', { email })}
          error={errors.email_code?.message}
          register={form.register('email_code')}
          onComplete={() => goOn(form, ['current_email_code'], submit)}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting}>
          {t('email.submit')}
        </Button>
        <Button variant="subtle" onClick={props.onOther}>
          {t('email.other')}
        </Button>
      </Stack>
    </form>
  )
}
