import { expect, it } from 'vitest'
import { theme } from '@/app/theme'
import * as constants from './constants'

it('names the addresses that code leads to', () => {
  expect(Object.values(constants.paths)).toEqual([
    '/auth/sign-in',
    '/auth/sign-up',
    '/auth/forgot-password',
    '/auth/sign-out',
    '/user/dashboard',
    '/user/my-account',
  ])
})

it('holds the session’s keys and times', () => {
  expect(constants.storageKeys).toEqual({
    accessToken: 'access_token',
    accessTokenExpiry: 'access_token_exp_text',
    stopRefresh: 'stop_refresh',
    refreshToken: 'refresh_token',
  })
  expect(constants.REFRESH_BEFORE_EXPIRY_MS).toBe(10_000)
  expect(constants.RESCHEDULE_AFTER_MS).toBe(1_000)
  expect(constants.CHAT_AFTER_SIGN_IN_MS).toBe(1_000)
})

it('holds the limits on preloads and reloads', () => {
  expect(constants.MOST_PENDING_PRELOADS).toBe(5)
  expect(constants.RELOAD_GUARD_MS).toBe(10_000)
})

it('gives each kind of message its colour, which the theme has', () => {
  expect(constants.messageColors).toEqual({
    error: 'red',
    success: 'green',
    warning: 'orange',
    info: 'blue',
  })
  for (const color of Object.values(constants.messageColors)) {
    expect(theme.colors?.[color]).toHaveLength(10)
  }
})

it('breaks at 600, 960, 1280, 1920 and 2560 px, and is mobile below 1280', () => {
  expect(Object.values(constants.breakpoints)).toEqual([600, 960, 1280, 1920, 2560])
  for (const [name, px] of Object.entries(constants.breakpoints)) {
    expect(theme.breakpoints).toHaveProperty(name, `${px / 16}em`)
  }
  expect(constants.breakpoints[constants.MOBILE_BREAKPOINT]).toBe(1280)
})

it('is light unless the user wants it dark, and scrolls in 300 ms', () => {
  expect(constants.DEFAULT_COLOR_SCHEME).toBe('light')
  expect(constants.SCROLL_MS).toBe(300)
})
