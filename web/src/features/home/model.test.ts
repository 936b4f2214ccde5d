import { describe, expect, it } from 'vitest'
import { access, GB, inDays } from '@/test/fixtures'
import { firstStep, noticeOf, usedPercent } from './model'

const now = Date.now()

describe('the quota', () => {
  it('is used up to 100 %, and has no percent without a limit', () => {
    expect(usedPercent(access())).toBe(25)
    expect(usedPercent(access({ used_bytes: 300 * GB }))).toBe(100)
    expect(usedPercent(access({ quota_bytes: 0, used_bytes: 0 }))).toBe(0)
    expect(usedPercent(access({ quota_bytes: null }))).toBeUndefined()
  })
})

describe('the notice', () => {
  it('stays away while all is well', () => {
    expect(noticeOf(access(), now)).toBeUndefined()
    expect(noticeOf(access({ expires_at: inDays(8), used_bytes: 158 * GB }), now)).toBeUndefined()
    expect(noticeOf(access({ expires_at: null, quota_bytes: null }), now)).toBeUndefined()
    expect(noticeOf(access({ state: 'none' }), now)).toBeUndefined()
    expect(noticeOf(access({ state: 'banned' }), now)).toBeUndefined()
  })

  it.each([
    [80, 'warning'],
    [94, 'warning'],
    [95, 'error'],
  ])('offers a package at %i %% of the quota', (percent, tone) => {
    expect(noticeOf(access({ used_bytes: percent * 2 * GB }), now)).toEqual({
      tone,
      key: 'nearlyUsed',
      count: percent,
      action: 'buyPackage',
    })
  })

  it.each([
    [6.5, 'lastDays', 7, 'warning'],
    [2.5, 'lastDays', 3, 'error'],
    [0.51, 'lastHours', 12, 'error'],
  ])('offers to renew %f days before the end', (days, key, count, tone) => {
    expect(noticeOf(access({ expires_at: inDays(days) }), now)).toEqual({
      tone,
      key,
      count,
      action: 'renew',
    })
  })

  it('puts the end before the quota', () => {
    const both = access({ expires_at: inDays(2), used_bytes: 199 * GB })
    expect(noticeOf(both, now)?.action).toBe('renew')
  })

  it.each([
    ['exhausted', 'buyPackage'],
    ['expired', 'renew'],
  ] as const)('says what helps when the state is %s', (state, action) => {
    expect(noticeOf(access({ state }), now)).toMatchObject({ tone: 'error', key: state })
    expect(noticeOf(access({ state }), now)?.action).toBe(action)
  })
})

describe('the first steps', () => {
  it('begin with a plan', () => {
    expect(firstStep(access({ state: 'none' }), null)).toBe('buy')
  })

  it('go on with the import until a client has fetched the link', () => {
    const unused = access({ used_bytes: 0 })
    expect(firstStep(unused, null)).toBe('import')
    expect(firstStep(unused, inDays(-1))).toBeUndefined()
  })

  it('are over once traffic has flowed, and unknown before the link is', () => {
    expect(firstStep(access(), null)).toBeUndefined()
    expect(firstStep(access({ used_bytes: 0 }), undefined)).toBeUndefined()
  })
})
