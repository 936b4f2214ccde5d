import { screen, waitFor } from '@testing-library/react'
import i18next from 'i18next'
import { http } from 'msw'
import { readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { failure, server, site, success } from '@/test/msw/server'
import { openApp, openSignedIn } from '@/test/render'
import { asStaff } from '@/test/staff'
import { readAddresses } from '../../tools/page-addresses'
import { hasPageOf } from './has-page'
import { createAppRouter } from './router'

const file = new URL('../routeTree.gen.ts', `file://${import.meta.dirname}/`)
const addresses = readAddresses(readFileSync(file, 'utf8'))

let calls: Set<string>

beforeEach(() => {
  calls = new Set()
  const note = ({ request }: { request: Request }) => {
    calls.add(`${request.method} ${new URL(request.url).pathname}`)
    return failure(400, { message: 'Not now', code: 'not_now' })
  }
  server.use(
    http.get('*/api/v2/site', () => success({ ...site, test_pages: true })),
    http.get('*/api/v2/*', note),
    http.get('*/v1/*', note),
  )
})

const texts = () => Object.keys(i18next.getDataByLanguage(i18next.language) ?? {})

it.each(addresses)('%s loads its texts and the data of its first screen', async (address) => {
  const href = address.replaceAll(/\$\w+/g, '1')
  if (href.startsWith('/admin')) server.use(...asStaff())
  const { router } = href.startsWith('/auth')
    ? await openApp('/about')
    : await openSignedIn('/admin/no/such/page')
  await screen.findByRole('heading', { level: 1 })
  await waitFor(() => expect(router.state.status).toBe('idle'))
  const frame = new Set(calls)

  if (href === '/setup') await hasPageOf(router)(href)
  await router.preloadRoute({ to: href } as never)
  const loaded = new Set([...frame, ...calls])
  const loadedTexts = new Set(texts())

  await router.navigate({ href })
  await screen.findAllByRole('heading', { level: 1 })
  expect([...calls].filter((call) => !loaded.has(call))).toEqual([])
  expect(texts().filter((name) => !loadedTexts.has(name))).toEqual([])
})

// Those that name a template or a guide, a role of the server's, or what has an id beside its number.
const textual = ['kind', 'slug', 'roles/$id', 'tickets/$id', 'tickets/view/$id', 'view-invoice/$id']
const numeric = addresses.filter(
  (address) => address.includes('$') && !textual.some((end) => address.endsWith(end)),
)

it('a page of a number is not found, and asks for nothing, where its address has none', async () => {
  server.use(...asStaff())
  const { router } = await openSignedIn('/admin/no/such/page')
  await screen.findByText('404 · Page Not Found')
  await waitFor(() => expect(router.state.status).toBe('idle'))
  const frame = new Set(calls)

  expect(numeric.length).toBeGreaterThan(20)
  for (const address of numeric) {
    await router.navigate({ href: address.replace('$id', 'new-one').replace('$scope', 'user') })
    expect(router.state.matches.map(({ routeId }) => routeId)).toEqual([
      '__root__',
      '/admin',
      '/admin/$',
    ])
    expect(await screen.findByText('404 · Page Not Found')).toBeVisible()
  }
  expect([...calls].filter((call) => !frame.has(call))).toEqual([])
})

type Node = { options: { loader?: unknown }; parentRoute?: Node }
const hasLoader = ({ options, parentRoute }: Node): boolean =>
  options.loader !== undefined || (parentRoute !== undefined && hasLoader(parentRoute))

it('each page has a loader, or its layout has one', async () => {
  const router = createAppRouter()
  for (const path of ['/user', '/admin', '/setup']) await hasPageOf(router)(path)
  const pages = Object.values(router.routesById).filter(
    ({ id, options, children }) => options.component && !children && !id.endsWith('$'),
  )
  expect(pages.length).toBeGreaterThan(30)
  const without = pages.filter((page) => !hasLoader(page))
  expect(without.map(({ id }) => id)).toEqual([])
})
