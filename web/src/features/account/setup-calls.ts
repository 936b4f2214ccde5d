import { post } from '@/lib/api/auth-api'
import type {
  SetupCheckCodeData,
  SetupOwnerData,
  SetupOwnerResponse,
} from '@/lib/api/gen/types.gen'

// The calls of the first steps, apart from those that every open page carries.

export const checkSetupCode = (body: SetupCheckCodeData['body']) =>
  post<SetupCheckCodeData, unknown>('/api/v2/setup/check-code', body)

export const makeOwner = (body: SetupOwnerData['body']) =>
  post<SetupOwnerData, SetupOwnerResponse>('/api/v2/setup/owner', body)
