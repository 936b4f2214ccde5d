import { post } from '@/lib/api/auth-api'
import type {
  AuthPasskeyBeginData,
  AuthPasskeyBeginResponse,
  AuthPasskeyFinishData,
  AuthPasskeyFinishResponse,
} from '@/lib/api/gen/types.gen'

// The calls of a sign-in with a passkey, apart from those that every open page carries.

export const beginPasskeySignIn = () =>
  post<AuthPasskeyBeginData, AuthPasskeyBeginResponse>('/api/v2/auth/passkey/begin')

export const signInByPasskey = (body: AuthPasskeyFinishData['body']) =>
  post<AuthPasskeyFinishData, AuthPasskeyFinishResponse>('/api/v2/auth/passkey/finish', body)
