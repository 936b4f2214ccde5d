import { authorizedFetch, toApiError, unwrap } from './client'

/** One JSON call of /api/v2: resolves to what the envelope carries, rejects with an ApiError. */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  send: (request: Request) => Promise<Response> = authorizedFetch,
): Promise<T> {
  let response: Response | undefined
  try {
    const request = new Request(new URL(path, location.origin), {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    response = await send(request)
    const text = await response.text()
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : {}
    if (!response.ok) throw json
    return unwrap(json) as T
  } catch (failure) {
    throw toApiError(failure, response)
  }
}
