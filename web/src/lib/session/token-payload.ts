import { emailPattern } from '@/lib/email-pattern'

export type SignedInUser = {
  user_id: number
  user_new_id: string
  user_name: string
  email: string
  /** A member of staff, who sees the site as this user does and can change nothing. */
  by_staff?: boolean
}

type TokenPayload = {
  jti: string
  exp?: number
  iat?: number
  role: 'guest' | 'user'
  token_type: 'login_code' | 'user_link_tg' | 'access' | 'refresh'
  subject_login_code?: { tg_login_token: string }
  subject_user_link_tg?: { user_id: number }
  subject_access?: SignedInUser
  subject_refresh?: { user_id: number; password_hash: string; is_remember_me?: boolean }
}

// Checked by hand: the open pages read tokens too, and would else carry a schema library for nothing more.

/** Gives the paths of what is wrong in a value. */
type Check = (value: unknown, path: string) => string[]

const as =
  (isRight: (value: unknown) => boolean): Check =>
  (value, path) =>
    isRight(value) ? [] : [path]

const number = as((value) => typeof value === 'number')
const boolean = as((value) => typeof value === 'boolean')
const text = (pattern = /^/) => as((value) => typeof value === 'string' && pattern.test(value))
const uuid = text(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)

const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? [] : check(value, path)

const object =
  (parts: Record<string, Check>): Check =>
  (value, path) =>
    typeof value === 'object' && value !== null
      ? Object.entries(parts).flatMap(([name, check]) =>
          check((value as Record<string, unknown>)[name], path ? `${path}.${name}` : name),
        )
      : [path || 'all of it']

const payloadCheck = object({
  jti: uuid,
  exp: optional(number),
  iat: optional(number),
  role: text(/^(guest|user)$/),
  token_type: text(/^(login_code|user_link_tg|access|refresh)$/),
  subject_login_code: optional(object({ tg_login_token: text() })),
  subject_user_link_tg: optional(object({ user_id: number })),
  subject_access: optional(
    object({
      user_id: number,
      user_new_id: uuid,
      user_name: text(),
      email: text(emailPattern),
      by_staff: optional(boolean),
    }),
  ),
  subject_refresh: optional(
    object({ user_id: number, password_hash: uuid, is_remember_me: optional(boolean) }),
  ),
})

/**
 * What a token says about itself; its signature is the server's to check.
 * Undefined, with a warning in the console, when the payload has another form.
 */
export function readPayload(token: string): TokenPayload | undefined {
  const payload = decode(token)
  const wrong = payloadCheck(payload, '')
  if (wrong.length === 0) return payload as TokenPayload
  console.warn('The token has an invalid payload:', wrong.join(', '))
  return undefined
}

function decode(token: string): unknown {
  try {
    const base64 = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
