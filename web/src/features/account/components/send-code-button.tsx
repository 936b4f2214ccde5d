import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useNow } from '@/lib/now'
import type { CodeRequest } from '../use-code-request'

/** Asks for a code, and counts down to when it may be asked for again. */
export function SendCodeButton(props: {
  request: CodeRequest
  email: string
  isBusy: boolean
  onClick: () => void
}) {
  const { t } = useTranslation('account')
  const now = useNow(1000)
  const seconds = Math.ceil((props.request.nextAt(props.email) - now) / 1000)
  const label =
    props.request.sentTo === props.email ? t('emailCode.sendAgain') : t('emailCode.send')

  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mr={4}
      disabled={seconds > 0}
      loading={props.isBusy}
      onClick={props.onClick}
    >
      {seconds > 0 ? t('emailCode.wait', { seconds }) : label}
    </Button>
  )
}
