import { act, screen, waitFor } from '@testing-library/react'
import { http } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failure, server, site, stillLoading, success } from '@/test/msw/server'
import { openApp } from '@/test/render'
import { accessToken, refreshToken } from '@/test/tokens'
import type { VendorScript } from './vendors'

const login = '*/api/v2/auth/account_login/login'
const reset = '*/api/v2/auth/account_reset_password/request-email-code'

const hosts = {
  turnstile: 'https://challenges.cloudflare.com/',
  hcaptcha: 'https://js.hcaptcha.com/',
  recaptcha: 'https://www.recaptcha.net/',
} as const
const globals = { turnstile: 'turnstile', hcaptcha: 'hcaptcha', recaptcha: 'grecaptcha' } as const
type Provider = keyof typeof hosts

const scripts = () => [...document.head.querySelectorAll<HTMLScriptElement>('script[src]')]
const scriptOf = (provider: Provider) =>
  waitFor(() => {
    const script = scripts().find(({ src }) => src.startsWith(hosts[provider]))
    if (!script) throw new Error(`The page did not load ${provider}`)
    return script
  })

type Options = Parameters<VendorScript['render']>[1]

/** Does what the provider's script does once it is loaded; gives what widgets it was asked for. */
function load(provider: Provider) {
  const widgets: Options[] = []
  const remove = vi.fn<(widget: string | number) => void>()
  const render = (place: HTMLElement, options: Options) => {
    place.append(document.createElement('iframe'))
    return widgets.push(options)
  }
  Reflect.set(globalThis, globals[provider], { render, remove })
  act(() => (Reflect.get(globalThis, 'captchaLoaded') as () => void)())
  return { widgets, remove }
}

const refusal = (provider: Provider) =>
  failure(403, {
    message: 'Please complete the captcha first',
    code: 'captcha_required',
    details: { captcha_key_type: 'login', provider, site_key: 'public-key' },
  })

const guarded = (provider: Provider, sent: (string | undefined)[]) =>
  http.post(login, async ({ request }) => {
    const { verify_token } = (await request.json()) as { verify_token?: string }
    sent.push(verify_token)
    if (verify_token !== 'good') return refusal(provider)
    return success({ access_token: accessToken(), refresh_token: refreshToken() })
  })

async function signIn() {
  const opened = await openApp('/auth/sign-in')
  await opened.user.type(await screen.findByLabelText('Email'), 'lin@example.com')
  await opened.user.type(screen.getByLabelText('Password'), 'correct horse')
  expect(scripts()).toEqual([])
  await opened.user.keyboard('{Enter}')
  return opened
}

beforeEach(() => server.use(stillLoading))
afterEach(() => {
  scripts().forEach((script) => script.remove())
  Object.values(globals).forEach((name) => Reflect.deleteProperty(globalThis, name))
})

describe.each(['turnstile', 'hcaptcha', 'recaptcha'] as const)('%s', (provider) => {
  it('is loaded when it is asked for, in the page’s scheme, and sends the form when passed', async () => {
    const sent: (string | undefined)[] = []
    server.use(guarded(provider, sent))
    const { router } = await signIn()
    const script = await scriptOf(provider)
    expect(scripts()).toHaveLength(1)
    expect(script.src.includes('hl=en')).toBe(provider !== 'turnstile')
    const { widgets, remove } = load(provider)
    await waitFor(() => expect(widgets).toHaveLength(1))
    expect(widgets[0]).toMatchObject({ sitekey: 'public-key', theme: 'light', language: 'en' })
    expect(screen.getByRole('group', { name: 'Check that you are human' })).toBeVisible()
    act(() => widgets[0]?.callback('good'))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
    expect(sent).toEqual([undefined, 'good'])
    await waitFor(() => expect(remove).toHaveBeenCalledTimes(1))
  })

  it('that is blocked says so, keeps the form, and is loaded again at the next try', async () => {
    server.use(guarded(provider, []))
    const { router, user } = await signIn()
    const script = await scriptOf(provider)
    act(() => void script.dispatchEvent(new Event('error')))
    expect(await screen.findByRole('alert')).toHaveTextContent('can’t be loaded')
    expect(screen.getByLabelText('Password')).toHaveValue('correct horse')
    expect(scripts()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await scriptOf(provider)
    const { widgets } = load(provider)
    await waitFor(() => expect(widgets).toHaveLength(1))
    act(() => widgets[0]?.callback('good'))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/dashboard'))
  })
})

it('an error of the widget is told and can be tried again', async () => {
  server.use(guarded('turnstile', []))
  const { user } = await signIn()
  await scriptOf('turnstile')
  const { widgets } = load('turnstile')
  await waitFor(() => expect(widgets).toHaveLength(1))
  act(() => widgets[0]?.['error-callback']())
  expect(await screen.findByRole('alert')).toHaveTextContent('Turnstile can’t be loaded')
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
  await waitFor(() => expect(widgets).toHaveLength(2))
  expect(scripts()).toHaveLength(1)
})

it('an answer that has expired is not sent', async () => {
  const sent: (string | undefined)[] = []
  server.use(
    http.get('*/api/v2/site', () =>
      success({ ...site, captcha: { ...site.captcha, forgot_password: 'always' } }),
    ),
    http.get('*/api/v2/captcha-key', () =>
      success({ captcha_key_type: 'forgot_password', provider: 'hcaptcha', site_key: 'public' }),
    ),
    http.post(reset, async ({ request }) => {
      sent.push(((await request.json()) as { verify_token?: string }).verify_token)
      return success({})
    }),
  )
  const { user } = await openApp('/auth/forgot-password')
  await scriptOf('hcaptcha')
  const { widgets } = load('hcaptcha')
  await waitFor(() => expect(widgets).toHaveLength(1))
  act(() => widgets[0]?.callback('old'))
  act(() => widgets[0]?.['expired-callback']())
  await user.type(await screen.findByLabelText('Email'), 'lin@example.com')
  await user.click(screen.getByRole('button', { name: 'Send me a code' }))
  expect(sent).toEqual([])
  act(() => widgets[0]?.callback('new'))
  expect(await screen.findByText(/sent a code to lin@example.com/)).toBeVisible()
  expect(sent).toEqual(['new'])
})
