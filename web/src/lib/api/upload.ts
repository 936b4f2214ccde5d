import { apiErrorOf, unwrap, withToken } from './client'
import { ApiError } from './errors'

/** An upload of which nothing moves for so long has lost its connection. */
const LONGEST_SILENCE_MS = 45_000

export type UploadOptions = {
  signal: AbortSignal
  /** Hears how much was sent, from 0 to 1. */
  onProgress: (share: number) => void
}

/** Sends a file as the body of a PUT, with the user's token, and gives what the answer carries. */
export const upload = (address: string, file: Blob, options: UploadOptions): Promise<unknown> =>
  withToken((token) => put(address, file, token, options))

// `fetch` does not tell how much it has sent.
function put(
  address: string,
  file: Blob,
  token: string | undefined,
  { signal, onProgress }: UploadOptions,
): Promise<unknown> {
  return new Promise((done, fail) => {
    const call = new XMLHttpRequest()
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(() => call.abort(), LONGEST_SILENCE_MS)
    }
    const stop = () => call.abort()
    const lost = () => fail(new ApiError('', { status: 0, code: 'network_error' }))
    call.upload.addEventListener('progress', (event) => {
      wait()
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    })
    call.addEventListener('load', () => {
      const answer = read(call.responseText)
      if (call.status < 200 || call.status >= 300) {
        const retryAfter = call.getResponseHeader('Retry-After')
        const headers = new Headers(retryAfter ? { 'Retry-After': retryAfter } : {})
        fail(apiErrorOf(answer, { status: call.status, headers }))
        return
      }
      done(unwrap(answer))
    })
    call.addEventListener('error', lost)
    call.addEventListener('abort', lost)
    call.addEventListener('loadend', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
    call.open('PUT', address)
    call.setRequestHeader('Content-Type', 'application/octet-stream')
    call.setRequestHeader('Accept-Language', document.documentElement.lang)
    if (token) call.setRequestHeader('Authorization', `Bearer ${token}`)
    signal.addEventListener('abort', stop)
    wait()
    call.send(file)
    if (signal.aborted) stop()
  })
}

/** What is in between (a proxy, a captive portal) answers in its own way. */
function read(text: string): object {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}
