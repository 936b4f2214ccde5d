import { post } from './auth-api'
import { sendOpenly } from './client'
import type { AuthVisitOpenData, AuthVisitOpenResponse } from './gen/types.gen'

/** Opens a visit by its code. Without the access token: in this tab that is still the member's own. */
export const openVisit = (body: AuthVisitOpenData['body']) =>
  post<AuthVisitOpenData, AuthVisitOpenResponse>('/api/v2/auth/visit', body, sendOpenly)
