import { Stack } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getCaptcha } from '@/lib/api/captcha-calls'
import { session } from '@/lib/session/current-session'
import { problemText } from '@/lib/server-problem'
import classes from './captcha.module.css'
import type { CaptchaRequest, CaptchaKind } from './captcha-request'
import { ProofOfWork } from './proof-of-work'
import { VendorWidget } from './vendor-widget'

export type CaptchaEvents = {
  /** With what the call takes as its verify_token. */
  onSolved: (answer: string) => void
  /** The answer is no longer good; the widget asks for another by itself. */
  onExpired: () => void
  /** With a sentence for the user. */
  onFailed: (problem: string) => void
}

/** The captcha that the server has asked for, or that it will ask for before calls of this kind. */
export function Captcha(
  props: { request: CaptchaRequest | undefined; kind: CaptchaKind | undefined } & CaptchaEvents,
) {
  const { t } = useTranslation('captcha')
  const { request: given, kind, ...events } = props
  const request = useCaptchaRequest(given, kind, events.onFailed)
  return (
    <Stack gap="xs" role="group" aria-label={t('label')} className={classes.box}>
      {request?.provider === 'pow' && <ProofOfWork {...events} />}
      {request && request.provider !== 'pow' && (
        <VendorWidget provider={request.provider} siteKey={request.site_key} {...events} />
      )}
    </Stack>
  )
}

function useCaptchaRequest(
  given: CaptchaRequest | undefined,
  kind: CaptchaKind | undefined,
  onFailed: CaptchaEvents['onFailed'],
) {
  const { t: common } = useTranslation()
  const [fetched, setFetched] = useState<CaptchaRequest>()
  const failed = useEffectEvent((error: unknown) => onFailed(problemText(error, common)))
  const isKnown = given !== undefined

  useEffect(() => {
    if (isKnown || !kind || session.isVisit) return
    const leaving = new AbortController()
    getCaptcha(kind, leaving.signal).then(
      setFetched,
      (error: unknown) => leaving.signal.aborted || failed(error),
    )
    return () => leaving.abort()
  }, [isKnown, kind])

  return given ?? fetched
}
