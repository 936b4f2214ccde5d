import { Button, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useOnce } from '@/lib/use-once'
import { showServerProblem } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { signInByTelegram } from '../telegram-calls'
import { useSignIn } from '../use-sign-in'
import { SecondStepField } from './second-step-field'

/** Signs in at once with what Telegram confirmed, or after the second step where the account has one. */
export function TelegramConfirmed(props: {
  loginCode: string
  isRemembered: boolean
  next: string | undefined
  onAgain: () => void
}) {
  const { t } = useTranslation('telegram')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const { enter, needsSecondStep } = useSignIn(props.next)
  const form = useForm({ defaultValues: { two_fa_code: '' } })
  const { errors, isSubmitting } = form.formState

  const submit = useOnce(
    form.handleSubmit(async ({ two_fa_code }) => {
      try {
        const { loginCode: login_code, isRemembered: is_remember_me } = props
        const second = two_fa_code && { two_fa_code }
        await enter(signInByTelegram({ login_code, is_remember_me, ...second }))
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )

  const submitted = useRef(false)
  useEffect(() => {
    if (submitted.current) return // React runs effects twice in development; the code is good once
    submitted.current = true
    void submit()
  }, [submit])

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <Text role="status" ta="center">
          {needsSecondStep ? t('signIn.secondStep') : t('signIn.confirmed')}
        </Text>
        {needsSecondStep && (
          <>
            <SecondStepField
              register={form.register('two_fa_code')}
              error={errors.two_fa_code?.message}
              onComplete={() => void submit()}
            />
            <Button type="submit" loading={isSubmitting}>
              {account('signIn.submit')}
            </Button>
          </>
        )}
        <FormError message={errors.root?.message} />
        {errors.root && (
          <Button variant="default" onClick={props.onAgain}>
            {t('signIn.again')}
          </Button>
        )}
      </Stack>
    </form>
  )
}
