const encode = (part: unknown) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(part))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const jwt = (payload: unknown) => `${encode({ alg: 'EdDSA' })}.${encode(payload)}.signature`

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'

export const someone = {
  user_id: 7,
  user_new_id: uuid,
  user_name: '林晓',
  email: 'lin@example.com',
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** An access token as the server makes them, good for 15 minutes by default. */
export const accessToken = (change: Record<string, unknown> = {}, seconds = 900) =>
  jwt({
    jti: uuid,
    exp: inSeconds(seconds),
    iat: inSeconds(0),
    role: 'user',
    token_type: 'access',
    subject_access: someone,
    ...change,
  })

/** A refresh token as the server makes them; `serial` makes two of them differ. */
export const refreshToken = (userId = someone.user_id, serial = 0) =>
  jwt({
    jti: uuid,
    exp: inSeconds(30 * 86_400) + serial,
    role: 'user',
    token_type: 'refresh',
    subject_refresh: { user_id: userId, password_hash: uuid },
  })
