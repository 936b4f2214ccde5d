import type { TFunction } from 'i18next'
import { problemText } from '@/lib/server-problem'

/** What the server takes: the JSON form of a browser's answer. */
export type PasskeyAnswer = Record<string, unknown>

/** Whether this browser has passkeys, in the JSON forms of WebAuthn Level 3. */
export const hasPasskeys = () =>
  'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential

/** Has the device make a passkey; throws a DOMException that passkeyProblem explains. */
export async function createPasskey(options: object): Promise<PasskeyAnswer> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  return answerOf(await navigator.credentials.create({ publicKey }))
}

/** Lets the user choose a passkey: in a dialog of the browser, or with `conditional` where it fills in the form. */
export async function askForPasskey(
  options: object,
  how: { mediation?: CredentialMediationRequirement; signal: AbortSignal },
): Promise<PasskeyAnswer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  )
  return answerOf(await navigator.credentials.get({ publicKey, ...how }))
}

function answerOf(credential: Credential | null): PasskeyAnswer {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('', 'NotAllowedError')
  return { ...credential.toJSON() }
}

/** A sentence for the user about what the browser or the server has refused. */
export function passkeyProblem(
  error: unknown,
  t: TFunction<'passkey'>,
  common: TFunction<'common'>,
): string {
  if (!(error instanceof DOMException)) return problemText(error, common)
  switch (error.name) {
    case 'NotAllowedError':
    case 'AbortError':
      return t('problem.cancelled')
    case 'InvalidStateError':
      return t('problem.exists')
    case 'SecurityError':
      return t('problem.address')
    default:
      return t('problem.unsupported')
  }
}
