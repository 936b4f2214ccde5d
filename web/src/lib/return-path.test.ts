import { expect, it } from 'vitest'
import { returnPath } from './return-path'

it.each([
  ['/user/wallet?page=2#top', '/user/wallet?page=2#top'],
  [undefined, '/user/dashboard'],
  ['', '/user/dashboard'],
  ['https://elsewhere.example/user', '/user/dashboard'],
  ['//elsewhere.example', '/user/dashboard'],
  ['/\\elsewhere.example', '/user/dashboard'],
  ['/\t/elsewhere.example', '/user/dashboard'],
  ['https:elsewhere.example', '/user/dashboard'],
  ['%2F%2Felsewhere.example', '/user/dashboard'],
  ['/%2Felsewhere.example', '/%2Felsewhere.example'],
  ['/%5Celsewhere.example', '/%5Celsewhere.example'],
  ['/.//elsewhere.example', '/user/dashboard'],
  ['/user/..//elsewhere.example', '/user/dashboard'],
  ['javascript:alert(1)', '/user/dashboard'],
  ['/auth/sign-out', '/user/dashboard'],
])('leads %j to %s', (next, path) => {
  expect(returnPath(next)).toBe(path)
})
