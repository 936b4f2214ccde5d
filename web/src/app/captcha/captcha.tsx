import { Stack } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getCaptcha } from '@/api/captcha-calls'
import { problemText } from '@/shared/lib/server-problem'
import classes from './captcha.module.css'
import type { Asked, CaptchaKind } from './asked'
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
  props: { asked: Asked | undefined; kind: CaptchaKind | undefined } & CaptchaEvents,
) {
  const { t } = useTranslation('captcha')
  const { asked: given, kind, ...events } = props
  const asked = useAsked(given, kind, events.onFailed)
  return (
    <Stack gap="xs" role="group" aria-label={t('label')} className={classes.box}>
      {asked?.provider === 'pow' && <ProofOfWork {...events} />}
      {asked && asked.provider !== 'pow' && (
        <VendorWidget provider={asked.provider} siteKey={asked.site_key} {...events} />
      )}
    </Stack>
  )
}

function useAsked(
  given: Asked | undefined,
  kind: CaptchaKind | undefined,
  onFailed: CaptchaEvents['onFailed'],
) {
  const { t: common } = useTranslation()
  const [fetched, setFetched] = useState<Asked>()
  const failed = useEffectEvent((error: unknown) => onFailed(problemText(error, common)))
  const isKnown = given !== undefined

  useEffect(() => {
    if (isKnown || !kind) return
    const leaving = new AbortController()
    getCaptcha(kind, leaving.signal).then(
      setFetched,
      (error: unknown) => leaving.signal.aborted || failed(error),
    )
    return () => leaving.abort()
  }, [isKnown, kind])

  return given ?? fetched
}
