import { post } from '@/lib/api/auth-api'
import type {
  AuthTelegramBeginData,
  AuthTelegramBeginResponse,
  AuthTelegramLoginData,
  AuthTelegramLoginResponse,
  AuthTelegramStateData,
  AuthTelegramStateResponse,
} from '@/lib/api/gen/types.gen'

// The calls of a sign-in that is confirmed in Telegram, apart from those that every open page carries.

export const beginTelegramSignIn = () =>
  post<AuthTelegramBeginData, AuthTelegramBeginResponse>('/api/v2/auth/telegram/begin')

export const telegramSignInState = (body: AuthTelegramStateData['body']) =>
  post<AuthTelegramStateData, AuthTelegramStateResponse>('/api/v2/auth/telegram/state', body)

/** Good once, after the state is `confirmed`. */
export const signInByTelegram = (body: AuthTelegramLoginData['body']) =>
  post<AuthTelegramLoginData, AuthTelegramLoginResponse>('/api/v2/auth/telegram/login', body)
