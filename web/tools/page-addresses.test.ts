import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hasPageOf } from '../src/app/has-page'
import { createAppRouter } from '../src/app/router'
import { readAddresses } from './page-addresses'

const file = new URL('../src/routeTree.gen.ts', `file://${import.meta.dirname}/`)

it('the server knows the address of every page that the router has, and no other', async () => {
  const router = createAppRouter()
  for (const path of ['/user', '/admin', '/setup']) await hasPageOf(router)(path)
  const pages = Object.keys(router.routesByPath).map((path) => path.replace(/(.)\/$/, '$1'))
  const addresses = readAddresses(readFileSync(file, 'utf8'))
  expect(addresses).toEqual([...new Set(pages)].filter((path) => !path.endsWith('/$')).toSorted())
  expect(addresses).toContain('/user/wallet/billing/view-invoice/$id')
})

it('a route tree that it cannot read fails the build', () => {
  expect(() => readAddresses('export const routeTree = {}')).toThrow('names no addresses')
})
