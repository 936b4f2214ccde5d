import { ApiError } from '@/lib/api/errors'
import type { CaptchaWidget } from '@/lib/api/gen/types.gen'
import type { Site } from '@/lib/api/site'

/** The calls before which a site may always ask for a captcha. */
export type CaptchaKind = keyof Site['captcha']

export type CaptchaRequest = Pick<CaptchaWidget, 'provider' | 'site_key'>

/** The captcha that a refused call needs; undefined when it was refused for anything else. */
export function captchaRequestOf(error: unknown): CaptchaRequest | undefined {
  if (!(error instanceof ApiError) || error.code !== 'captcha_required') return undefined
  return error.details as CaptchaRequest
}

/** What replaces the captcha of a call in the next one: so the second step of a sign-in asks for no other. */
export const passIn = (outcome: unknown): string | undefined =>
  outcome instanceof ApiError ? outcome.details.verify_token : undefined
