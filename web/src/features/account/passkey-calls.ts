import { post } from '@/api/open-calls'
import type {
  AuthPasskeyBeginData,
  AuthPasskeyBeginResponse,
  AuthPasskeyFinishData,
  AuthPasskeyFinishResponse,
} from '@/api/gen/types.gen'

// The calls of a sign-in with a passkey, apart from those that every open page carries.

export const beginPasskeySignIn = () =>
  post<AuthPasskeyBeginData, AuthPasskeyBeginResponse>('/api/v2/auth/passkey/begin')

export const signInByPasskey = (body: AuthPasskeyFinishData['body']) =>
  post<AuthPasskeyFinishData, AuthPasskeyFinishResponse>('/api/v2/auth/passkey/finish', body)
