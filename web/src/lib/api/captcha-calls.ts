import { sendOpenly, unwrap } from './client'
import type {
  CaptchaChallengeData,
  CaptchaChallengeResponse,
  CaptchaKeyData,
  CaptchaKeyResponse,
  CaptchaVerifyData,
  CaptchaVerifyResponse,
} from './gen/types.gen'

// Without the generated client, as in auth-api.ts, and apart from those: only who meets a captcha loads them.

/** Which captcha protects a call, before it is asked for. */
export async function getCaptcha(
  kind: CaptchaKeyData['query']['captcha_key_type'],
  signal: AbortSignal,
): Promise<CaptchaKeyResponse> {
  const path: CaptchaKeyData['url'] = '/api/v2/captcha-key'
  const url = new URL(path, location.origin)
  url.searchParams.set('captcha_key_type', kind)
  return answer(new Request(url, { signal }))
}

/** A proof of work to do. */
export async function getChallenge(signal: AbortSignal): Promise<CaptchaChallengeResponse> {
  const path: CaptchaChallengeData['url'] = '/api/v2/captcha-key-v2'
  return answer(new Request(new URL(path, location.origin), { signal }))
}

/** Shows the work done; gives the token that a call takes, once. */
export async function showSolutions(
  body: CaptchaVerifyData['body'],
  signal: AbortSignal,
): Promise<CaptchaVerifyResponse> {
  const path: CaptchaVerifyData['url'] = '/api/v2/captcha-key-v2-verify'
  return answer(
    new Request(new URL(path, location.origin), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    }),
  )
}

async function answer<Result>(request: Request): Promise<Result> {
  const response = await sendOpenly(request)
  return unwrap(await response.json()) as Result
}
