import { sendOpenly, unwrap } from './client'
import type { UserGetMeData, UserGetMeResponse } from './gen/types.gen'

/** Whose access token this is, in the server's word: a token that it refuses is thrown as a 401. */
export async function whoami(accessToken: string, signal: AbortSignal): Promise<UserGetMeResponse> {
  const path: UserGetMeData['url'] = '/api/v2/user/get_me'
  const headers = { Authorization: `Bearer ${accessToken}` }
  const response = await sendOpenly(
    new Request(new URL(path, location.origin), { headers, signal }),
  )
  return unwrap(await response.json()) as UserGetMeResponse
}
