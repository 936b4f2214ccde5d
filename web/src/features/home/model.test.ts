import { describe, expect, it } from 'vitest'
import { access, GB, inDays, node } from '@/test/fixtures'
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
    ['Dec 6 at 16:00', new Date(2026, 11, 6, 16), 'lastDays', 7, 'warning'],
    ['Dec 3 at 0:00', new Date(2026, 11, 3), 'lastDays', 3, 'error'],
    ['Nov 30 at 16:00', new Date(2026, 10, 30, 16), 'lastDays', 1, 'error'],
    ['Nov 29 at 20:30', new Date(2026, 10, 29, 20, 30), 'lastHours', 12, 'error'],
  ])('offers to renew on Nov 29 what ends on %s', (_, end, key, count, tone) => {
    const morning = new Date(2026, 10, 29, 8).getTime()
    expect(noticeOf(access({ expires_at: end.toISOString() }), morning)).toEqual({
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
    expect(firstStep(access({ state: 'none' }), undefined, null)).toBe('buy')
  })

  it('begin with a plan where there is traffic that opens no node', () => {
    const checkedIn = access({ used_bytes: 0, expires_at: null })
    expect(firstStep(checkedIn, [], null)).toBe('buy')
    expect(firstStep(checkedIn, [node()], null)).toBe('import')
  })

  it('go on with the import until a client has fetched the link', () => {
    const unused = access({ used_bytes: 0 })
    expect(firstStep(unused, [node()], null)).toBe('import')
    expect(firstStep(unused, [node()], inDays(-1))).toBeUndefined()
  })

  it('are over once traffic has flowed, and unknown before the link is', () => {
    expect(firstStep(access(), [node()], null)).toBeUndefined()
    expect(firstStep(access({ used_bytes: 0 }), [node()], undefined)).toBeUndefined()
  })
})
