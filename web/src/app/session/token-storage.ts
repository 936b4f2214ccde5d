// The access token lives as long as its tab, the refresh token until sign-out, shared by all tabs.
const ACCESS_TOKEN = 'access_token'
const ACCESS_TOKEN_EXPIRY = 'access_token_exp_text'
const STOP_REFRESH = 'stop_refresh'
export const REFRESH_TOKEN = 'refresh_token'

export const tokenStorage = {
  accessToken: () => sessionStorage.getItem(ACCESS_TOKEN) ?? undefined,

  refreshToken: () => localStorage.getItem(REFRESH_TOKEN) ?? undefined,

  /** Set for a sign-in that must end with its access token. */
  isRefreshStopped: () => sessionStorage.getItem(STOP_REFRESH) !== null,

  keepAccessToken(token: string, expiresAt: Date) {
    sessionStorage.setItem(ACCESS_TOKEN, token)
    sessionStorage.setItem(ACCESS_TOKEN_EXPIRY, expiresAt.toISOString())
  },

  keepRefreshToken: (token: string) => localStorage.setItem(REFRESH_TOKEN, token),

  dropAccessToken() {
    sessionStorage.removeItem(ACCESS_TOKEN)
    sessionStorage.removeItem(ACCESS_TOKEN_EXPIRY)
  },

  dropRefreshToken: () => localStorage.removeItem(REFRESH_TOKEN),
}
