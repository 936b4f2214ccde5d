import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/api/errors'
import { siteOptions } from '@/api/site'
import { FormError } from '@/shared/ui/form-error'
import { askForPasskey, hasPasskeys, type PasskeyAnswer, passkeyProblem } from '../passkey'
import { beginPasskeySignIn, signInByPasskey } from '../passkey-calls'
import { useSignIn } from '../use-sign-in'

// The server's challenge is good for five minutes.
const OFFER_AGAIN_MS = 240_000

type Props = { next: string | undefined; isRemembered: () => boolean }

/** A passkey instead of the form: by a button, and where the browser can, among what it fills in. */
export function PasskeySignIn(props: Props) {
  const { data: site } = useQuery(siteOptions())
  return site?.passkeys && hasPasskeys() ? <Ways {...props} /> : null
}

function Ways(props: Props) {
  const { t } = useTranslation('passkey')
  const { t: common } = useTranslation()
  const { enter } = useSignIn(props.next)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const offer = useRef<AbortController>(undefined)

  const signIn = async (credential: PasskeyAnswer) => {
    await enter(signInByPasskey({ credential, is_remember_me: props.isRemembered() }))
  }

  const choose = async () => {
    offer.current?.abort() // a browser asks for one passkey at a time
    setProblem(undefined)
    setBusy(true)
    try {
      const { options } = await beginPasskeySignIn()
      await signIn(await askForPasskey(options, { signal: new AbortController().signal }))
    } catch (error) {
      setProblem(passkeyProblem(error, t, common))
    } finally {
      setBusy(false)
    }
  }

  const onFilledIn = useEffectEvent((credential: PasskeyAnswer) => signIn(credential))
  const onRefused = useEffectEvent((error: unknown) => {
    // Nobody has asked for anything yet, so only what the server says of a chosen passkey is told.
    if (error instanceof ApiError && error.code.startsWith('passkey_'))
      setProblem(passkeyProblem(error, t, common))
  })

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const start = () => {
      const current = new AbortController()
      offer.current = current
      timer = setTimeout(() => {
        if (current.signal.aborted) return
        current.abort()
        start()
      }, OFFER_AGAIN_MS)
      offerToFillIn(current.signal)
        .then((credential) => credential && onFilledIn(credential))
        .catch(onRefused)
    }
    start()
    return () => {
      clearTimeout(timer)
      offer.current?.abort()
    }
  }, [])

  return (
    <>
      <Button variant="default" fullWidth loading={isBusy} onClick={() => void choose()}>
        {t('signIn')}
      </Button>
      <FormError message={problem} />
    </>
  )
}

/** Offers passkeys where the browser fills in the address; undefined where it can't. */
async function offerToFillIn(signal: AbortSignal): Promise<PasskeyAnswer | undefined> {
  const canOffer = await PublicKeyCredential.isConditionalMediationAvailable()
  if (!canOffer || signal.aborted) return undefined
  const { options } = await beginPasskeySignIn()
  return askForPasskey(options, { mediation: 'conditional', signal })
}
