import { send, unwrap } from './client'

/** One JSON call of /api/v2: resolves to what the envelope carries, rejects with an ApiError. */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  through: (request: Request) => Promise<Response> = send,
): Promise<T> {
  const request = new Request(new URL(path, location.origin), {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const response = await through(request)
  return unwrap(await response.json()) as T
}
