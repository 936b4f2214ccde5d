import { ApiError, type FieldError } from './errors'

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

/** `fetch` in the user's language, without a bearer token. */
export function openFetch(request: Request): Promise<Response> {
  request.headers.set('Accept-Language', document.documentElement.lang)
  return fetch(request)
}

/** `fetch` with the bearer token; after a 401 it tries once more with a new one. */
export async function authorizedFetch(request: Request): Promise<Response> {
  const token = authorization.accessToken()
  if (!token) return openFetch(request)

  const again = request.clone()
  const response = await openFetch(withBearer(request, token))
  if (response.status !== 401 || !(await authorization.replace(token))) return response
  return openFetch(withBearer(again, authorization.accessToken()))
}

function withBearer(request: Request, token: string | undefined): Request {
  request.headers.set('Authorization', `Bearer ${token}`)
  return request
}

/** Every answer of /api/v2 has this form; a list comes as `result_list`. */
type Envelope = {
  is_success?: boolean
  message?: string
  code?: string
  errors?: FieldError[] | null
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

/** Turns whatever a call failed with into an ApiError. */
export function toApiError(failure: unknown, response: Response | undefined): Error {
  if (failure instanceof Error && failure.name !== 'TypeError') return failure
  if (!response) return new ApiError('Network Error', { status: 0, code: 'network_error' })
  return apiErrorOf(typeof failure === 'object' ? (failure ?? {}) : {}, response)
}

function apiErrorOf(envelope: Envelope, response: Response | undefined): ApiError {
  const status = response?.status ?? 200
  return new ApiError(envelope.message || `HTTP ${status}`, {
    status,
    code: envelope.code ?? `http_${status}`,
    fields: envelope.errors ?? [],
    requestId: envelope.request_id ?? response?.headers.get('X-Request-Id') ?? undefined,
    retryAfter: Number(response?.headers.get('Retry-After')) || undefined,
  })
}
