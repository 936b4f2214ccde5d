import { useTranslation } from 'react-i18next'
import type { StaffWebhook } from '@/lib/api/gen/staff/types.gen'
import { CopyButton } from '@/ui/copy-button'
import { Notice } from '@/ui/notice'
import { StatusDot } from '@/ui/status-dot'
import type { Outcome } from './actions'

/** A new secret, which is shown only here, or how the address answered a test. */
export function OutcomeNotice({ outcome }: { outcome: Outcome | undefined }) {
  const { t } = useTranslation('console/webhook')
  if (!outcome) return null
  const { name } = outcome
  if ('secret' in outcome)
    return (
      <Notice
        tone="warning"
        action={<CopyButton size="xs" text={outcome.secret} name={t('secret')} />}
      >
        {t('secretOnce', { name })} <code>{outcome.secret}</code>
      </Notice>
    )
  if ('isLost' in outcome) return <Notice tone="warning">{t('secretLost', { name })}</Notice>
  const { status, error, is_accepted: isAccepted, duration_ms: ms } = outcome.attempt
  const answer = { name, ms, answer: error || status }
  return isAccepted ? (
    <p role="status">
      <StatusDot tone="success">{t('testAccepted', answer)}</StatusDot>
    </p>
  ) : (
    <Notice tone="error">{t('testFailed', answer)}</Notice>
  )
}

export function WebhookState({ webhook: one }: { webhook: StaffWebhook }) {
  const { t } = useTranslation('console/webhook')
  if (one.disabled_reason)
    return <StatusDot tone="error">{t(`reason.${one.disabled_reason}`)}</StatusDot>
  if (!one.is_enabled) return <StatusDot tone="neutral">{t('off')}</StatusDot>
  if (one.failing_since) return <StatusDot tone="warning">{t('failing')}</StatusDot>
  return <StatusDot tone="success">{t('on')}</StatusDot>
}
