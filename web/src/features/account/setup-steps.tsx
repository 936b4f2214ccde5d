import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import { showServerProblem } from '@/lib/server-problem'
import { useOnce } from '@/lib/use-once'
import { FormError } from '@/ui/form-error'
import { TextLink } from '@/ui/text-link'
import { AuthCard } from './components/auth-card'
import { SetupFactor } from './components/setup-factor'
import { SetupOwner } from './components/setup-owner'
import { checkSetupCode } from './setup-calls'

type Step = 'code' | 'owner' | 'factor'

/** The first steps of a site without an owner: the code that the server printed, the owner and the site, a second factor. */
export function SetupSteps() {
  const { t } = useTranslation('setup/steps')
  const { data: site } = useSuspenseQuery(siteOptions())
  const [isUnowned] = useState(site.unowned) // as it was when the page opened
  const [step, setStep] = useState<Step>('code')
  const [code, setCode] = useState('')

  if (!isUnowned)
    return (
      <AuthCard documentTitle={t('title')} heading={t('owned')} about={t('ownedAbout')}>
        <TextLink to="/auth/sign-in">{t('toSignIn')}</TextLink>
      </AuthCard>
    )
  const [number, heading, about] = {
    code: [1, t('code.heading'), t('code.about')] as const,
    owner: [2, t('owner.heading'), t('owner.about')] as const,
    factor: [3, t('factor.heading'), t('factor.about')] as const,
  }[step]
  return (
    <AuthCard
      key={step}
      documentTitle={t('title')}
      heading={heading}
      about={about}
      below={t('step', { number, of: 3 })}
    >
      {step === 'code' && (
        <CodeStep
          onDone={(checked) => {
            setCode(checked)
            setStep('owner')
          }}
        />
      )}
      {step === 'owner' && <SetupOwner code={code} site={site} onDone={() => setStep('factor')} />}
      {step === 'factor' && <SetupFactor />}
    </AuthCard>
  )
}

function CodeStep({ onDone }: { onDone: (code: string) => void }) {
  const { t } = useTranslation('setup/steps')
  const { t: account } = useTranslation('account')
  const { t: common } = useTranslation()
  const form = useForm({ defaultValues: { code: '' } })
  const { errors, isSubmitting } = form.formState
  const submit = useOnce(
    form.handleSubmit(async ({ code }) => {
      try {
        await checkSetupCode({ code })
        onDone(code)
      } catch (error) {
        showServerProblem(form, error, common)
      }
    }),
  )
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('code.label')}
          description={t('code.hint')}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          maxLength={64}
          error={errors.code?.message}
          {...form.register('code', {
            setValueAs: (value: string) => value.trim(),
            required: account('problem.required'),
          })}
        />
        <Text size="sm" c="dimmed">
          {t('code.where')}
        </Text>
        <FormError message={errors.root?.message} />
        <Button type="submit" fullWidth loading={isSubmitting}>
          {t('next')}
        </Button>
      </Stack>
    </form>
  )
}
