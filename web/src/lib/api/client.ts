import { ApiError, type Attempt, type FieldError } from './errors'
import { readServerTime } from './server-clock'

/** Where calls get their bearer token from; the session hands itself in with `authorizeWith`. */
export type Authorization = {
  accessToken(): string | undefined
  /** Gets a token to replace the refused one; false when there is none to be had. */
  replace(refusedToken: string): Promise<boolean>
}

let authorization: Authorization = { accessToken: () => undefined, replace: async () => false }

export function authorizeWith(source: Authorization): void {
  authorization = source
}

let sayRepeated = () => {}

/** Sets what is called where an answer is that to an earlier try of the same (`Idempotency-Key` in the contract). */
export function onRepeated(call: () => void): void {
  sayRepeated = call
}

const MAX_WAIT_MS = 30_000

/** Sends a request in the user's language, without a bearer token. Anything but a 2xx answer is thrown as an ApiError. */
export async function sendOpenly(request: Request): Promise<Response> {
  request.headers.set('Accept-Language', document.documentElement.lang)
  const attempt = attemptOf(request)
  const response = await answerTo(request, attempt)
  if (response.headers.has('Idempotent-Replayed')) sayRepeated()
  if (response.ok) return response
  throw apiErrorOf(await readEnvelope(response), response, attempt)
}

/** Calls without a token, such as a sign-in, are repeated without a thought; so is what never leaves this device. */
function attemptOf({ method, headers }: Request): Attempt | undefined {
  if (method === 'GET' || !headers.has('Authorization') || !navigator.onLine) return undefined
  return headers.has('Idempotency-Key') ? 'keyed' : 'change'
}

async function answerTo(request: Request, attempt: Attempt | undefined): Promise<Response> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), MAX_WAIT_MS)
  const stop = () => patience.abort()
  request.signal.addEventListener('abort', stop)
  if (request.signal.aborted) stop()
  try {
    const response = await fetch(request, { signal: patience.signal })
    readServerTime(response)
    // An answer that is cut says nothing of what was done.
    if (attempt) await response.clone().arrayBuffer()
    return response
  } catch (failure) {
    if (request.signal.aborted) throw failure
    const code = patience.signal.aborted ? 'timeout' : 'network_error'
    throw new ApiError('', { status: 0, code, attempt })
  } finally {
    clearTimeout(timer)
  }
}

const underway = new Map<string, Promise<Response>>()

/**
 * The same with the bearer token; after a 401 it tries once more with a new one. What is sent again with its
 * Idempotency-Key before there is an answer, as by a double press, gets the answer to the first.
 */
export async function send(request: Request): Promise<Response> {
  const key = request.headers.get('Idempotency-Key')
  if (key === null) return sendWithToken(request)
  const name = `${request.method} ${request.url} ${key}`
  const first = underway.get(name)
  const answer = first ?? sendWithToken(request).finally(() => underway.delete(name))
  underway.set(name, answer)
  return (await answer).clone()
}

const sendWithToken = (request: Request): Promise<Response> =>
  withToken((token) => sendOpenly(token ? withBearer(request.clone(), token) : request))

/** The same for what reads and sends in another way than `fetch`: `call` gets the token, and is called again after a 401. */
export async function withToken<T>(call: (token: string | undefined) => Promise<T>): Promise<T> {
  const token = authorization.accessToken()
  try {
    return await call(token)
  } catch (failure) {
    const isRefused = failure instanceof ApiError && failure.status === 401
    if (!token || !isRefused || !(await authorization.replace(token))) throw failure
    return call(authorization.accessToken())
  }
}

function withBearer(request: Request, token: string): Request {
  request.headers.set('Authorization', `Bearer ${token}`)
  return request
}

/** Every answer of /api/v2 has this form; a list comes as `result_list`. */
type Envelope = {
  is_success?: boolean
  message?: string
  code?: string
  errors?: FieldError[] | null
  details?: Record<string, string>
  request_id?: string
  result?: unknown
  result_list?: unknown
}

/** What the envelope carries. Throws when it says that the call failed. */
export function unwrap(body: unknown): unknown {
  const envelope = (body ?? {}) as Envelope
  if (envelope.is_success === false) throw apiErrorOf(envelope, undefined)
  return envelope.result_list ?? envelope.result
}

async function readEnvelope(response: Response): Promise<Envelope> {
  // What is in between (a proxy, a captive portal) answers in its own way.
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? body : {}
}

export function apiErrorOf(
  envelope: Envelope,
  response: Pick<Response, 'status' | 'headers'> | undefined,
  attempt?: Attempt,
): ApiError {
  const status = response?.status ?? 200
  return new ApiError(envelope.message ?? '', {
    status,
    code: envelope.code ?? `http_${status}`,
    fields: envelope.errors ?? [],
    details: envelope.details ?? {},
    requestId: envelope.request_id ?? response?.headers.get('X-Request-Id') ?? undefined,
    retryAfter: Number(response?.headers.get('Retry-After')) || undefined,
    attempt,
  })
}
