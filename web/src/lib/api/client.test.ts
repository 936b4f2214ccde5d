import { http, HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import { failure, server, success } from '@/test/msw/server'
import { sendOpenly } from './client'
import { ApiError, MissingParameterError } from './errors'
import { authLogin, linkTokenReset, orderGet, siteGet } from './gen/sdk.gen'

const siteUrl = '*/api/v2/site'
const problemOf = async () => (await siteGet().catch((error: unknown) => error)) as ApiError

describe('a call', () => {
  it('resolves to what the envelope carries', async () => {
    server.use(http.get(siteUrl, () => success({ site_name: 'Airstrip' })))
    expect((await siteGet()).data).toEqual({ site_name: 'Airstrip' })
  })

  it('resolves to the list of a list’s envelope', async () => {
    server.use(
      http.get(siteUrl, () =>
        HttpResponse.json({ is_success: true, message: '', result_list: [1, 2] }),
      ),
    )
    expect((await siteGet()).data).toEqual([1, 2])
  })

  it('asks in the user’s language', async () => {
    document.documentElement.lang = 'en'
    let language: string | null = null
    server.use(
      http.get(siteUrl, ({ request }) => {
        language = request.headers.get('Accept-Language')
        return success({})
      }),
    )
    await siteGet()
    expect(language).toBe('en')
  })
})

describe('a call with an Idempotency-Key', () => {
  it('is sent once by a double press, and again once it was answered', async () => {
    let sent = 0
    server.use(
      http.post('*/api/v2/user/services/link-token/link-token/reset', () => {
        sent++
        return success({ link_token: 'Zz91' })
      }),
    )
    const press = () => linkTokenReset({ headers: { 'Idempotency-Key': 'one' } })
    const answers = await Promise.all([press(), press()])
    expect(answers.map(({ data }) => data)).toEqual([
      { link_token: 'Zz91' },
      { link_token: 'Zz91' },
    ])
    expect(sent).toBe(1)
    await press()
    expect(sent).toBe(2)
  })

  it('fails for both presses, and can be sent again', async () => {
    let sent = 0
    server.use(
      http.post('*/api/v2/user/services/link-token/link-token/reset', () => {
        sent++
        return HttpResponse.error()
      }),
    )
    const press = () => linkTokenReset({ headers: { 'Idempotency-Key': 'one' } })
    for (const { status } of await Promise.allSettled([press(), press()])) {
      expect(status).toBe('rejected')
    }
    expect(sent).toBe(1)
    await press().catch(() => undefined)
    expect(sent).toBe(2)
  })
})

describe('a call that fails', () => {
  it('says what the server said', async () => {
    const errors = [{ field: 'amount', code: 'too_small', message: 'At least 1.00' }]
    server.use(
      http.get(siteUrl, () =>
        failure(
          422,
          { message: 'Check the amount', code: 'invalid_input', errors },
          { 'Retry-After': '7' },
        ),
      ),
    )
    expect(await problemOf()).toMatchObject({
      name: 'ApiError',
      message: 'Check the amount',
      status: 422,
      code: 'invalid_input',
      fields: errors,
      requestId: 'req-1',
      retryAfter: 7,
      isPassing: false,
    })
  })

  it('is a failure also with status 200', async () => {
    server.use(
      http.get(siteUrl, () => HttpResponse.json({ is_success: false, message: 'No', code: 'no' })),
    )
    expect(await problemOf()).toMatchObject({ message: 'No', code: 'no' })
  })

  it('is understood when something in between answers', async () => {
    server.use(
      http.get(
        siteUrl,
        () => new HttpResponse('<html>', { status: 502, headers: { 'X-Request-Id': 'proxy-1' } }),
      ),
    )
    expect(await problemOf()).toMatchObject({
      message: '',
      code: 'http_502',
      requestId: 'proxy-1',
      isPassing: true,
    })
  })

  it('has status 0 when no answer came', async () => {
    server.use(http.get(siteUrl, () => HttpResponse.error()))
    expect(await problemOf()).toMatchObject({
      message: '',
      status: 0,
      code: 'network_error',
      isPassing: true,
    })
  })

  it('is given up when no answer comes for half a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    server.use(http.get(siteUrl, () => new Promise<Response>(() => undefined)))
    const problem = problemOf()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await problem).toMatchObject({
      message: '',
      status: 0,
      code: 'timeout',
      isPassing: true,
    })
  })

  it('is the caller’s own doing when they cancelled it', async () => {
    const caller = new AbortController()
    server.use(http.get(siteUrl, () => new Promise<Response>(() => undefined)))
    const call = siteGet({ signal: caller.signal })
    caller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a call that is to change something and gets no answer', () => {
  const orderUrl = 'https://airstrip.example/api/v2/user/orders/1'
  const lost = (headers: Record<string, string>, method = 'POST') =>
    sendOpenly(new Request(orderUrl, { method, headers })).catch((error: unknown) => error)
  const signedIn = { Authorization: 'Bearer token' }

  it.each([
    ['of which something in between says so', () => new HttpResponse('<html>', { status: 504 })],
    ['at all', () => HttpResponse.error()],
  ])('may have been done, and with a key it is done once: none %s', async (_, answer) => {
    server.use(http.all(orderUrl, answer))
    expect(await lost(signedIn)).toMatchObject({ attempt: 'change' })
    expect(await lost({ ...signedIn, 'Idempotency-Key': 'k' })).toMatchObject({ attempt: 'keyed' })
    expect(await lost(signedIn, 'GET')).toMatchObject({ attempt: undefined })
    expect(await lost({})).toMatchObject({ attempt: undefined })
  })

  it('is one whose answer is cut', async () => {
    server.use(
      http.post(orderUrl, () => {
        const cut = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"is_success":'))
            controller.error(new Error('cut'))
          },
        })
        return new HttpResponse(cut)
      }),
    )
    expect(await lost(signedIn)).toMatchObject({ status: 0, attempt: 'change' })
  })

  it('was not sent where the device is offline', async () => {
    server.use(http.post(orderUrl, () => HttpResponse.error()))
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValueOnce(false)
    expect(await lost(signedIn)).toMatchObject({ status: 0, attempt: undefined })
  })
})

describe('a required parameter', () => {
  it.each([{ email: null, password: 'x' }, { password: 'x' }, null, undefined])(
    'is missed in the body %j, and nothing is sent',
    async (body) => {
      await expect(authLogin({ body } as never)).rejects.toThrow(
        'Required parameter email was null or undefined when calling POST /api/v2/auth/account_login/login.',
      )
    },
  )

  it('that is null or undefined is named, with the operation, and nothing is sent', async () => {
    const path: { order_id: string } = JSON.parse('{}')
    const call = orderGet({ path })
    await expect(call).rejects.toThrow(MissingParameterError)
    await expect(call).rejects.toThrow(/order_id.*GET \/api\/v2\/user\/orders\/\{order_id\}/)
  })
})
