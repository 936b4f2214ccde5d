import { call } from './call'
import { sendOpenly } from './client'

export type Tokens = { access_token: string; refresh_token: string | null }

export type SignIn = {
  email: string
  password: string
  two_fa_code?: string
  is_remember_me: boolean
}

export type SignUp = {
  email: string
  name: string
  password: string
  re_password: string
  invite_code?: string
  email_code?: string
}

export const signIn = (body: SignIn) =>
  call<Tokens>('POST', '/api/v2/auth/account_login/login', body)

export const signUp = (body: SignUp) => call<Tokens>('POST', '/api/v2/auth/account_register', body)

export const refresh = (refreshToken: string) =>
  call<Tokens>(
    'POST',
    '/api/v2/auth/jwt_token/jwt_access_refresh',
    { refresh_token: refreshToken },
    sendOpenly,
  )

export const signOut = () => call<unknown>('POST', '/api/v2/auth/sign-out')
