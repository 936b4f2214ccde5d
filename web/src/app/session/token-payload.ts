import * as z from 'zod/mini'

const TokenPayload = z.object({
  jti: z.uuid(),
  exp: z.optional(z.number()),
  iat: z.optional(z.number()),
  role: z.enum(['guest', 'user']),
  token_type: z.enum(['login_code', 'user_link_tg', 'access', 'refresh']),
  subject_login_code: z.optional(z.object({ tg_login_token: z.string() })),
  subject_user_link_tg: z.optional(z.object({ user_id: z.number() })),
  subject_access: z.optional(
    z.object({
      user_id: z.number(),
      user_new_id: z.uuid(),
      user_name: z.string(),
      email: z.email(),
    }),
  ),
  subject_refresh: z.optional(
    z.object({
      user_id: z.number(),
      password_hash: z.uuid(),
      is_remember_me: z._default(z.boolean(), false),
    }),
  ),
})

export type TokenPayload = z.infer<typeof TokenPayload>
export type SignedInUser = NonNullable<TokenPayload['subject_access']>

/**
 * What a token says about itself; its signature is the server's to check.
 * Undefined, with a warning in the console, when the payload has another form.
 */
export function readPayload(token: string): TokenPayload | undefined {
  const parsed = z.safeParse(TokenPayload, decode(token))
  if (parsed.success) return parsed.data
  const parts = parsed.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`)
  console.warn('The token has an invalid payload:', parts.join(', '))
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
