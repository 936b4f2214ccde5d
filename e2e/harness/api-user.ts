import { randomUUID } from 'node:crypto'
import type { Profile } from './sing-box.ts'
import type { Credentials } from './user.ts'

/** The User-Agent of a sing-box app for Android. */
export const singBoxApp = 'SFA/1.14.1 (600; sing-box 1.14.1; language zh_CN)'

type Usage = { upload: number; download: number; total: number }

/** A user who calls the API without a browser. */
export class ApiUser {
  readonly credentials: Credentials
  readonly #site: string
  readonly #token: string

  private constructor(site: string, credentials: Credentials, token: string) {
    this.credentials = credentials
    this.#site = site
    this.#token = token
  }

  static async signUp(site: string): Promise<ApiUser> {
    const password = randomUUID()
    const form = { email: `${randomUUID()}@example.com`, name: 'Customer', password, re_password: password }
    const { access_token } = await call<{ access_token: string }>(site, 'POST', '/auth/account_register', form)
    return new ApiUser(site, form, access_token)
  }

  static async signIn(site: string, { email, password }: Credentials): Promise<ApiUser> {
    const { access_token } = await call<{ access_token: string }>(site, 'POST', '/auth/account_login/login', { email, password })
    return new ApiUser(site, { email, password }, access_token)
  }

  call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    return call<T>(this.#site, method, path, body, this.#token)
  }

  /** Recharges the wallet through the sandbox's pay page. */
  async recharge(amount: string): Promise<void> {
    const recharge = await this.call<{ no: number; pay_page: { url: string } }>('POST', '/user/wallet/recharge', { amount, gateway: 'sandbox' })
    await fetch(recharge.pay_page.url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' })
    const { is_finish } = await this.call<{ is_finish: boolean }>('POST', `/user/wallet/recharge/${recharge.no}`)
    if (!is_finish) throw new Error('the recharge was paid and is not finished')
  }

  async buy(shopID: number): Promise<void> {
    await this.call('POST', `/user/shop-old/${shopID}/confirm-order`, {})
  }

  /** Returns the subscription link. */
  async link(): Promise<string> {
    const { url } = await this.call<{ url: string }>('GET', '/user/services/link-token/link-token')
    return url
  }

  /** Returns the bytes counted in the present cycle. */
  async usage(): Promise<Usage> {
    const { old_service_info: info } = await this.call<{ old_service_info: Record<string, number> }>('GET', '/user/dashboard')
    return { upload: info.ss_upload_size ?? NaN, download: info.ss_download_size ?? NaN, total: info.ss_bandwidth_total_size ?? NaN }
  }

  async profile(): Promise<Profile> {
    const answer = await fetch(await this.link(), { headers: { 'user-agent': singBoxApp } })
    if (!answer.ok) throw new Error(`the link answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Profile
  }
}

async function call<T>(site: string, method: string, path: string, body?: unknown, token?: string): Promise<T> {
  const answer = await fetch(`${site}/api/v2${path}`, {
    method,
    headers: { 'accept-language': 'en', ...(body !== undefined && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  const { result, result_list } = JSON.parse(text) as { result?: T; result_list?: T }
  return (result ?? result_list) as T
}
