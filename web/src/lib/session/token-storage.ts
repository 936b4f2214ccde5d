import { storageKeys } from '@/lib/constants'

// The access token lives as long as its tab, the refresh token until sign-out, shared by all tabs.
export const tokenStorage = {
  accessToken: () => sessionStorage.getItem(storageKeys.accessToken) ?? undefined,

  refreshToken: () => localStorage.getItem(storageKeys.refreshToken) ?? undefined,

  /** Set for a sign-in that must end with its access token. */
  isRefreshStopped: () => sessionStorage.getItem(storageKeys.stopRefresh) !== null,

  keepAccessToken(token: string, expiresAt: Date) {
    sessionStorage.setItem(storageKeys.accessToken, token)
    sessionStorage.setItem(storageKeys.accessTokenExpiry, expiresAt.toISOString())
  },

  keepRefreshToken: (token: string) => localStorage.setItem(storageKeys.refreshToken, token),

  dropAccessToken() {
    sessionStorage.removeItem(storageKeys.accessToken)
    sessionStorage.removeItem(storageKeys.accessTokenExpiry)
  },

  dropRefreshToken: () => localStorage.removeItem(storageKeys.refreshToken),
}
