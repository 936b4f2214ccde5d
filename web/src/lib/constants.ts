// The numbers and names that the product's specification fixes; each has its test next to this file or next to its use.

/** Addresses that code leads to by itself. */
export const paths = {
  signIn: '/auth/sign-in',
  signUp: '/auth/sign-up',
  forgotPassword: '/auth/forgot-password',
  signOut: '/auth/sign-out',
  dashboard: '/user/dashboard',
  myAccount: '/user/my-account',
} as const

/** What the session keeps, by the key it is kept under. */
export const storageKeys = {
  /** Session storage. */
  accessToken: 'access_token',
  /** Session storage; an ISO timestamp. */
  accessTokenExpiry: 'access_token_exp_text',
  /** Session storage; any value stops refreshing. */
  stopRefresh: 'stop_refresh',
  /** Local storage. */
  refreshToken: 'refresh_token',
} as const

export const REFRESH_BEFORE_EXPIRY_MS = 10_000
export const RESCHEDULE_AFTER_MS = 1_000
export const CHAT_AFTER_SIGN_IN_MS = 1_000

export const MOST_PENDING_PRELOADS = 5
export const RELOAD_GUARD_MS = 10_000

/** Mantine colours of what the app tells, by what it means. */
export const messageColors = {
  error: 'red',
  success: 'green',
  warning: 'orange',
  info: 'blue',
} as const

/** Screen widths in px; the theme and the CSS modules (postcss.config.js) have them from here. */
export const breakpoints = { xs: 600, sm: 960, md: 1280, lg: 1920, xl: 2560 } as const
/** Screens narrower than this have the layout of phones and tablets. */
export const MOBILE_BREAKPOINT = 'md' satisfies keyof typeof breakpoints

export const SCROLL_MS = 300
export const DEFAULT_COLOR_SCHEME = 'light'
