import { Button, Text } from '@mantine/core'
import { CloudAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import classes from './error-block.module.css'
import { RequestId } from './request-id'

/**
 * In the place of what could not be loaded: what happened, another try, and the number to quote to support. Of what is
 * kept from staff that sees the site as a user, only the server's sentence.
 */
export function ErrorBlock(props: { error: unknown; isRetrying: boolean; onRetry: () => void }) {
  const { t } = useTranslation()
  const { error } = props
  const answer = error instanceof ApiError ? error : undefined
  if (answer?.code === 'staff_visit') return <Text c="dimmed">{answer.message}</Text>
  return (
    <div role="alert" className={classes.block}>
      <CloudAlert size={24} strokeWidth={1.5} aria-hidden="true" className={classes.icon} />
      <div>
        <Text fw={500}>{t('error.loading')}</Text>
        <Text c="dimmed" size="sm">
          {problemText(error, t, true)}
        </Text>
        <RequestId id={answer?.requestId} />
      </div>
      <Button variant="default" size="sm" loading={props.isRetrying} onClick={props.onRetry}>
        {t('retry')}
      </Button>
    </div>
  )
}
