import { Button, Card, Skeleton, Stack, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import {
  accountCloseMutation,
  accountLossOptions,
  accountLossQueryKey,
} from '@/lib/api/gen/@tanstack/react-query.gen'
import type { AccountLossResponse } from '@/lib/api/gen/types.gen'
import { siteOptions } from '@/lib/api/site'
import { session, useSession } from '@/lib/session/current-session'
import { resolver } from '@/lib/resolver'
import { showServerProblem } from '@/lib/server-problem'
import { FormColumn } from '@/ui/form-column'
import { FormError } from '@/ui/form-error'
import { Loaded } from '@/ui/loaded'
import { Money } from '@/ui/money'
import { PageHeader } from '@/ui/page-header'
import classes from './account-pages.module.css'
import { CheckField } from './components/check-field'
import { PasswordField } from '@/ui/password-field'
import { SecondFactorField } from '@/ui/second-factor-field'
import { type CloseForm, closeForm } from './own-account-model'

/** Says what closing the account ends and costs, and does it for who proves to be its user. */
export function CloseAccountPage() {
  const { t } = useTranslation('security')
  const loss = useQuery(accountLossOptions())
  return (
    <>
      <PageHeader title={t('close.title')} about={t('close.about')} />
      <FormColumn>
        <Card>
          <Loaded query={loss} skeleton={<Skeleton height={360} />}>
            {(found) => <Form loss={found} />}
          </Loaded>
        </Card>
      </FormColumn>
    </>
  )
}

function Form({ loss }: { loss: AccountLossResponse }) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const queryClient = useQueryClient()
  const router = useRouter()
  const close = useMutation(accountCloseMutation())
  const costs = Number(loss.forfeit) > 0
  const [givenUp, setGivenUp] = useState<string>()
  const form = useForm<CloseForm>({
    resolver: resolver(closeForm(account, loss.ga_enable)),
    defaultValues: { password: '', ga_token: '', email: '', forfeit: '' },
  })
  const { errors, isSubmitting } = form.formState

  const submit = form.handleSubmit(async (body) => {
    if (costs && givenUp !== loss.forfeit) {
      form.setError('forfeit', { message: t('close.mustConfirm') })
      return
    }
    try {
      await close.mutateAsync({ body: { ...body, forfeit: loss.forfeit } })
      const { userId } = session
      session.signOut()
      await import('./remove-drafts')
        .then((part) => part.removeDrafts(userId))
        .catch(() => undefined)
      await router.navigate({ to: '/auth/sign-in', search: { done: 'closed' }, replace: true })
    } catch (error) {
      showServerProblem(form, error, common)
      await queryClient.invalidateQueries({ queryKey: accountLossQueryKey() })
    }
  })

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Consequences loss={loss} />
        {costs && (
          <CheckField
            label={t('close.confirm')}
            checked={givenUp === loss.forfeit}
            onChange={(event) => setGivenUp(event.currentTarget.checked ? loss.forfeit : undefined)}
          />
        )}
        <FormError message={errors.forfeit?.message} />
        <Proof form={form} needsCode={loss.ga_enable} />
        <FormError message={errors.root?.message} />
        <Button type="submit" color="red" loading={isSubmitting}>
          {t('close.submit')}
        </Button>
      </Stack>
    </form>
  )
}

function Consequences({ loss }: { loss: AccountLossResponse }) {
  const { t } = useTranslation('security')
  const { data: site } = useQuery(siteOptions())
  return (
    <ul className={classes.points}>
      <li>{t('close.ends')}</li>
      {loss.services > 0 && <li>{t('close.services', { count: loss.services })}</li>}
      {Number(loss.forfeit) > 0 && (
        <li>
          <strong>
            {t('close.money')}
            <Money amount={loss.forfeit} currency={site?.currency ?? 'CNY'} />
          </strong>
        </li>
      )}
      <li>{t('close.data')}</li>
      <li>{t('close.again')}</li>
    </ul>
  )
}

function Proof({ form, needsCode }: { form: UseFormReturn<CloseForm>; needsCode: boolean }) {
  const { t } = useTranslation('security')
  const { t: account } = useTranslation('account')
  const state = useSession()
  const email = state.status === 'authenticated' ? state.user.email : ''
  const { errors } = form.formState
  return (
    <>
      <TextInput
        label={t('close.email', { email })}
        autoComplete="off"
        inputMode="email"
        error={errors.email?.message}
        {...form.register('email')}
      />
      <PasswordField
        label={account('field.password')}
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password')}
      />
      {needsCode && (
        // Sent by the button alone: closing an account is nothing for a last digit.
        <SecondFactorField
          label={t('code.label')}
          hint={t('code.orRecovery')}
          register={form.register('ga_token')}
          error={errors.ga_token?.message}
        />
      )}
    </>
  )
}
