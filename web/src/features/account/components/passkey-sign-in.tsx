import { Button } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '@/lib/api/errors'
import { FormError } from '@/ui/form-error'
import { askForPasskey, hasPasskeys, type PasskeyAnswer, passkeyProblem } from '@/lib/passkey'
import { beginPasskeySignIn, signInByPasskey } from '../passkey-calls'
import { useSignIn } from '../use-sign-in'

// The server's challenge is good for five minutes.
const OFFER_AGAIN_MS = 240_000

type Props = { next: string | undefined; isRemembered: () => boolean }

/** A passkey instead of the form: by a button, and where the browser can, among what it fills in. */
export function PasskeySignIn(props: Props) {
  return hasPasskeys() ? <Ways {...props} /> : null
}

function Ways(props: Props) {
  const { t } = useTranslation('passkey')
  const { t: common } = useTranslation()
  const { enter } = useSignIn(props.next)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [round, setRound] = useState(0) // of offers

  const signIn = async (credential: PasskeyAnswer) => {
    await enter(signInByPasskey({ credential, is_remember_me: props.isRemembered() }))
  }

  const choose = async () => {
    setProblem(undefined)
    setBusy(true) // which takes the offer back: a browser asks for one passkey at a time
    try {
      const { options } = await beginPasskeySignIn()
      await signIn(await askForPasskey(options, { signal: new AbortController().signal }))
    } catch (error) {
      setProblem(passkeyProblem(error, t, common))
      setBusy(false)
    }
  }

  const onFilledIn = useEffectEvent((credential: PasskeyAnswer) => signIn(credential))
  const onRefused = useEffectEvent((error: unknown) => {
    // Nobody has asked for anything yet, so only what the server says of a chosen passkey is shown.
    if (error instanceof ApiError && error.code.startsWith('passkey_'))
      setProblem(passkeyProblem(error, t, common))
  })

  useEffect(() => {
    if (isBusy) return undefined
    const offer = new AbortController()
    const timer = setTimeout(() => setRound(round + 1), OFFER_AGAIN_MS)
    offerToFillIn(offer.signal)
      .then((credential) => credential && onFilledIn(credential))
      .catch(onRefused)
    return () => {
      clearTimeout(timer)
      offer.abort()
    }
  }, [isBusy, round])

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
