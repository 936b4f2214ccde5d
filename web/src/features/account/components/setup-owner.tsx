import { Button, Input, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useId, useMemo } from 'react'
import { type UseFormRegisterReturn, useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { type Site, siteOptions } from '@/lib/api/site'
import { showServerProblem } from '@/lib/server-problem'
import { session } from '@/lib/session/current-session'
import { useOnce } from '@/lib/use-once'
import { FormError } from '@/ui/form-error'
import { PasswordField } from '@/ui/password-field'
import { fieldRules } from '../field-rules'
import { makeOwner } from '../setup-calls'
import { EmailField } from './email-field'

/** The owner's account, and what the site is called. */
export function SetupOwner(props: { code: string; site: Site; onDone: () => void }) {
  const { t } = useTranslation('setup/steps')
  const { t: account } = useTranslation('account')
  const { form, submit } = useOwner(props)
  const { errors, isSubmitting } = form.formState
  const rules = fieldRules(account)
  const zones = useMemo(() => zonesWith(props.site.time_zone), [props.site.time_zone])

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <EmailField register={form.register('email', rules.email)} error={errors.email?.message} />
        <PasswordField
          label={account('field.password')}
          description={account('signUp.passwordHint')}
          autoComplete="new-password"
          error={errors.password?.message}
          {...form.register('password', rules.newPassword)}
        />
        <PasswordField
          label={account('field.rePassword')}
          autoComplete="new-password"
          error={errors.re_password?.message}
          {...form.register('re_password', rules.repeatedPassword)}
        />
        <TextInput
          label={t('owner.siteName')}
          description={t('owner.siteNameHint')}
          autoComplete="organization"
          maxLength={100}
          error={errors.site_name?.message}
          {...form.register('site_name', rules.required)}
        />
        <Choice
          label={t('owner.language')}
          hint={t('owner.languageHint')}
          options={[
            ['zh-CN', '简体中文'],
            ['en', 'English'],
          ]}
          error={errors.language?.message}
          register={form.register('language')}
        />
        <Choice
          label={t('owner.timeZone')}
          hint={t('owner.timeZoneHint')}
          options={zones.map((zone) => [zone, zone])}
          error={errors.time_zone?.message}
          register={form.register('time_zone')}
        />
        <Address url={props.site.site_url} />
        <FormError message={errors.code?.message ?? errors.root?.message} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t('owner.submit')}
        </Button>
      </Stack>
    </form>
  )
}

/** A select of the browser's: that of Mantine would bring what only the pages of users have. */
function Choice(props: {
  label: string
  hint: string
  options: [value: string, name: string][]
  error: string | undefined
  register: UseFormRegisterReturn
}) {
  const id = useId()
  return (
    <Input.Wrapper id={id} label={props.label} description={props.hint} error={props.error}>
      <Input component="select" id={id} pointer {...props.register}>
        {props.options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Input>
    </Input.Wrapper>
  )
}

function useOwner(props: { code: string; onDone: () => void }) {
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const form = useForm({
    defaultValues: {
      code: props.code,
      email: '',
      password: '',
      re_password: '',
      site_name: '',
      language: i18next.language === 'en' ? ('en' as const) : ('zh-CN' as const),
      time_zone: ownZone(),
    },
  })
  const submit = useOnce(
    form.handleSubmit(async ({ re_password: _repeated, ...body }) => {
      try {
        session.signIn(await makeOwner(body))
        void queryClient.invalidateQueries(siteOptions())
        props.onDone()
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return { form, submit }
}

/** The address is of the server's configuration; whoever came by another learns where to change it. */
function Address({ url }: { url: string }) {
  const { t } = useTranslation('setup/steps')
  const isOther = new URL(url).origin !== location.origin
  return (
    <Text size="sm" c="dimmed">
      {t('owner.address', { url })}{' '}
      {isOther && t('owner.otherAddress', { here: location.origin, name: 'AIRSTRIP_SITE_URL' })}
    </Text>
  )
}

function zonesWith(present: string): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ownZone(), present])].toSorted()
}

const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone
