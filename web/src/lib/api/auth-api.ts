import { send, sendOpenly, unwrap } from './client'
import type {
  AuthCheckInviteCodeData,
  AuthLoginByCodeData,
  AuthLoginByCodeResponse,
  AuthLoginData,
  AuthLoginResponse,
  AuthRefreshResponse,
  AuthRegisterData,
  AuthRegisterResponse,
  AuthLoginRequestCodeData,
  AuthRefreshData,
  AuthRegisterRequestCodeData,
  AuthResetPasswordData,
  AuthResetRequestCodeData,
  AuthSignOutData,
  SiteGetData,
  SiteGetResponse,
} from './gen/types.gen'

// The few calls of the pages before sign-in, on the contract's types but without the generated client:
// it carries every operation there is, and those pages should be light.

export const signIn = (body: AuthLoginData['body']) =>
  post<AuthLoginData, AuthLoginResponse>('/api/v2/auth/account_login/login', body)

export const signUp = (body: AuthRegisterData['body']) =>
  post<AuthRegisterData, AuthRegisterResponse>('/api/v2/auth/account_register', body)

/** Refused, naming the field, where nobody can sign up with the code. */
export const checkInviteCode = (body: AuthCheckInviteCodeData['body']) =>
  post<AuthCheckInviteCodeData, unknown>('/api/v2/auth/account_register/check-invite-code', body)

/** The server answers the same whether the address has an account or not. */
export const requestSignUpCode = (body: AuthRegisterRequestCodeData['body']) =>
  post<AuthRegisterRequestCodeData, unknown>(
    '/api/v2/auth/account_register/request-email-code',
    body,
  )

export const requestSignInCode = (body: AuthLoginRequestCodeData['body']) =>
  post<AuthLoginRequestCodeData, unknown>('/api/v2/auth/account_login/request-email-code', body)

export const requestResetCode = (body: AuthResetRequestCodeData['body']) =>
  post<AuthResetRequestCodeData, unknown>(
    '/api/v2/auth/account_reset_password/request-email-code',
    body,
  )

export const signInByCode = (body: AuthLoginByCodeData['body']) =>
  post<AuthLoginByCodeData, AuthLoginByCodeResponse>(
    '/api/v2/auth/account_login/login-by-email-code',
    body,
  )

export const resetPassword = (body: AuthResetPasswordData['body']) =>
  post<AuthResetPasswordData, unknown>('/api/v2/auth/account_reset_password', body)

/** Without the access token: that is what has to be replaced. */
export const refresh = (body: AuthRefreshData['body']) =>
  post<AuthRefreshData, AuthRefreshResponse>(
    '/api/v2/auth/jwt_token/jwt_access_refresh',
    body,
    sendOpenly,
  )

export const signOut = () => post<AuthSignOutData, unknown>('/api/v2/auth/sign-out')

export async function getSite(): Promise<SiteGetResponse> {
  const url: SiteGetData['url'] = '/api/v2/site'
  const response = await sendOpenly(new Request(new URL(url, location.origin)))
  return unwrap(await response.json()) as SiteGetResponse
}

export async function post<Operation extends { url: string; body?: unknown }, Result>(
  url: Operation['url'],
  body?: Operation['body'],
  through = send,
): Promise<Result> {
  const request = new Request(new URL(url, location.origin), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const response = await through(request)
  return unwrap(await response.json()) as Result
}
