import { Button, Card, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { staffAuditRulesTryRules as bounds } from '@/lib/api/gen/staff/rules.gen'
import { staffAuditRulesTry } from '@/lib/api/gen/staff/sdk.gen'
import type { AuditRuleTrial } from '@/lib/api/gen/staff/types.gen'
import { ApiError, type FieldError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { StatusDot } from '@/ui/status-dot'
import classes from './guard.module.css'

/** Says which rules stop a destination, and whether a pattern that is no rule yet would. */
export function RuleTester() {
  const { t } = useTranslation('console/guard')
  const { t: common } = useTranslation()
  const trial = useMutation({
    mutationFn: async (body: Given) => ({
      result: (await staffAuditRulesTry({ body, throwOnError: true })).data,
      hasPattern: body.pattern !== '',
    }),
  })
  const problems = trial.error instanceof ApiError ? trial.error.fields : []
  return (
    <Card component="section" mb="lg" aria-label={t('tester.title')}>
      <Title order={2} size="h3" mb={4}>
        {t('tester.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('tester.about')}
      </Text>
      <TrialForm isBusy={trial.isPending} problems={problems} onTry={trial.mutate} />
      <FormError
        message={
          trial.error && problems.length === 0 ? problemText(trial.error, common) : undefined
        }
      />
      <div role="status">{trial.data && <Result {...trial.data} />}</div>
    </Card>
  )
}

type Given = { destination: string; pattern: string }

function TrialForm(props: {
  isBusy: boolean
  problems: readonly FieldError[]
  onTry: (given: Given) => void
}) {
  const { t } = useTranslation('console/guard')
  const [given, setGiven] = useState<Given>({ destination: '', pattern: '' })
  const field = (name: keyof Given, placeholder: string) => (
    <TextInput
      label={t(`tester.${name}`)}
      placeholder={placeholder}
      value={given[name]}
      maxLength={bounds[name].maxLength}
      spellCheck={false}
      autoComplete="off"
      error={props.problems.find((one) => one.field === name)?.message}
      onChange={({ currentTarget }) => setGiven({ ...given, [name]: currentTarget.value })}
    />
  )
  return (
    <form
      className={classes.tester}
      onSubmit={(event) => {
        event.preventDefault()
        const destination = given.destination.trim()
        if (destination) props.onTry({ destination, pattern: given.pattern.trim() })
      }}
    >
      {field('destination', 'www.example.com:443')}
      {field('pattern', String.raw`(^|\.)example\.com:`)}
      <Button type="submit" variant="default" loading={props.isBusy}>
        {t('tester.try')}
      </Button>
    </form>
  )
}

function Result({ result, hasPattern }: { result: AuditRuleTrial; hasPattern: boolean }) {
  const { t } = useTranslation('console/guard')
  return (
    <Stack gap="xs" mt="md">
      {result.rules.length === 0 ? (
        <StatusDot tone="success">{t('tester.free')}</StatusDot>
      ) : (
        result.rules.map(({ id, name, exempt_user_ids: exempt, not_held_by: agents }) => (
          <div key={id}>
            <StatusDot tone="error">{t('tester.stopped', { name })}</StatusDot>
            <Text size="sm" c="dimmed">
              {[
                exempt.length > 0 && t('tester.except', { count: exempt.length }),
                agents.length > 0 && t('tester.notHeldBy', { agents: agents.join(', ') }),
              ]
                .filter(Boolean)
                .join(' ')}
            </Text>
          </div>
        ))
      )}
      {hasPattern && (
        <div>
          <StatusDot tone={result.pattern_matches ? 'error' : 'success'}>
            {t(result.pattern_matches ? 'tester.matches' : 'tester.matchesNot')}
          </StatusDot>
          {result.not_held_by.length > 0 && (
            <Text size="sm" c="dimmed">
              {t('tester.notHeldBy', { agents: result.not_held_by.join(', ') })}
            </Text>
          )}
        </div>
      )}
    </Stack>
  )
}
