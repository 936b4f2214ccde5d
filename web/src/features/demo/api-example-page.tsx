import { Button, NativeSelect, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { send } from '@/lib/api/client'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { Part } from './components/part'
import { TestPage } from './components/test-page'
import classes from './demo-pages.module.css'

const calls = ['/api/v2/site', '/api/version', '/v1/app/config', '/api/v2/user/get_me'] as const

/** Makes one call as whoever is signed in and shows the raw answer. */
export function ApiExamplePage() {
  const { t } = useTranslation('demo')
  const { t: common } = useTranslation()
  const [call, setCall] = useState<string>(calls[0])
  const ask = useMutation({ mutationFn: askFor })
  return (
    <TestPage name="api-example">
      <Part title={t('call')}>
        <NativeSelect
          aria-label={t('call')}
          size="md"
          className={classes.form}
          value={call}
          onChange={(event) => setCall(event.currentTarget.value)}
          data={[...calls]}
        />
        <div>
          <Button loading={ask.isPending} onClick={() => ask.mutate(call)}>
            {t('send')}
          </Button>
        </div>
      </Part>
      <Part title={t('answer')}>
        {ask.error && <FormError message={problemText(ask.error, common)} />}
        {ask.data && (
          <>
            <Text role="status">{t('status', ask.data)}</Text>
            <pre
              // Scrolled with the keyboard too.
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
              tabIndex={0}
              role="region"
              aria-label={ask.variables}
              className={classes.code}
            >
              {ask.data.text}
            </pre>
          </>
        )}
        {ask.isIdle && <Text c="dimmed">{t('notSent')}</Text>}
      </Part>
    </TestPage>
  )
}

async function askFor(path: string): Promise<{ status: number; ms: number; text: string }> {
  const begin = performance.now()
  const response = await send(new Request(new URL(path, location.origin)))
  const answer: unknown = await response.json()
  return {
    status: response.status,
    ms: Math.round(performance.now() - begin),
    text: JSON.stringify(answer, null, 2),
  }
}
