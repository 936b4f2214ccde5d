import { resolver } from '@/lib/resolver'
import { Button, Checkbox, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Controller, useForm, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { accountSecurityOptions, userGetMeOptions } from '@/lib/api/gen/@tanstack/react-query.gen'
import { goOn } from '@/lib/go-on'
import { showServerProblem } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { PasswordField } from '@/ui/password-field'
import { SecondFactorField } from '@/ui/second-factor-field'
import { lifetimes, scopes, tokenForm, type TokenForm as Values } from '../model'

/** The name, scopes and lifetime of a new token, and the second factor or password of its owner. */
export function TokenForm({ onSubmit }: { onSubmit: (values: Values) => Promise<unknown> }) {
  const { t } = useTranslation('developer')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const needsCode = useQuery(accountSecurityOptions()).data?.ga_enable ?? false
  const form = useForm<Values>({
    resolver: resolver(tokenForm(t, account, needsCode)),
    defaultValues: { name: '', scopes: ['read'], days: '90', password: '', ga_token: '' },
  })
  const { errors, isSubmitting } = form.formState
  const submit = useOnce(
    form.handleSubmit(async (values) => {
      try {
        await onSubmit(values)
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('tokens.name')}
          description={t('form.nameHint')}
          autoComplete="off"
          maxLength={64}
          data-autofocus
          error={errors.name?.message}
          {...form.register('name')}
        />
        <Controller
          name="scopes"
          control={form.control}
          render={({ field }) => (
            <ScopeChoice
              value={field.value}
              onChange={field.onChange}
              error={errors.scopes?.message}
            />
          )}
        />
        <Life form={form} />
        <Proof form={form} needsCode={needsCode} submit={submit} />
        <FormError message={errors.root?.message} />
        <Button type="submit" loading={isSubmitting}>
          {t('form.submit')}
        </Button>
      </Stack>
    </form>
  )
}

function Life({ form }: { form: UseFormReturn<Values> }) {
  const { t } = useTranslation('developer')
  return (
    <NativeSelect
      label={t('form.life')}
      size="md"
      error={form.formState.errors.days?.message}
      data={lifetimes.map((days) => ({
        value: days,
        label: days ? t('form.days', { count: Number(days) }) : t('tokens.never'),
      }))}
      {...form.register('days')}
    />
  )
}

function Proof({
  form,
  needsCode,
  submit,
}: {
  form: UseFormReturn<Values>
  needsCode: boolean
  submit: () => Promise<void>
}) {
  const { t } = useTranslation('developer')
  const { t: account } = useTranslation('account')
  const { t: security } = useTranslation('security')
  const { errors } = form.formState
  return (
    <>
      <PasswordField
        label={account('field.password')}
        description={t('form.proof')}
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password')}
      />
      {needsCode && (
        <SecondFactorField
          label={security('code.label')}
          hint={security('code.orRecovery')}
          register={form.register('ga_token')}
          error={errors.ga_token?.message}
          onComplete={() => goOn(form, ['name', 'password'], submit)}
        />
      )}
    </>
  )
}

/** Who of the built-in roles may not run jobs does not see the scope. The server refuses it to all who may not. */
function ScopeChoice(props: {
  value: string[]
  onChange: (scopes: string[]) => void
  error: string | undefined
}) {
  const { t } = useTranslation('developer')
  const { data: me } = useQuery(userGetMeOptions())
  const mayRunJobs = !['', 'finance', 'support', 'viewer'].includes(me?.staff_role ?? '')
  return (
    <Checkbox.Group
      label={t('tokens.scopes')}
      value={props.value}
      onChange={props.onChange}
      error={props.error}
    >
      <Stack gap="sm" mt="xs">
        {scopes
          .filter((scope) => scope !== 'jobs' || mayRunJobs)
          .map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`scope.${scope}`)}
              description={t(`scopeAbout.${scope}`)}
            />
          ))}
      </Stack>
    </Checkbox.Group>
  )
}
