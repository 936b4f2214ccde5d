import { Button, Text } from '@mantine/core'
import { CloudAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { problemText } from '@/lib/server-problem'
import classes from './error-block.module.css'
import { RequestId } from './request-id'

/** In the place of what could not be loaded: what happened, another try, and the number to quote to support. */
export function ErrorBlock(props: { error: unknown; isRetrying: boolean; onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <div role="alert" className={classes.block}>
      <CloudAlert size={24} strokeWidth={1.5} aria-hidden="true" className={classes.icon} />
      <div>
        <Text fw={500}>{t('error.loading')}</Text>
        <Text c="dimmed" size="sm">
          {problemText(props.error, t, true)}
        </Text>
        {props.error instanceof ApiError && <RequestId id={props.error.requestId} />}
      </div>
      <Button variant="default" size="sm" loading={props.isRetrying} onClick={props.onRetry}>
        {t('retry')}
      </Button>
    </div>
  )
}
