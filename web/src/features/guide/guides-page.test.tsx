import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { failure, server, stillLoading, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const item = (change: object = {}) => ({
  slug: 'stash',
  title: 'How to use Stash',
  category: 'Clients',
  client_id: 'stash',
  systems: ['ios', 'macos'],
  updated_at: '2026-11-20T08:00:00Z',
  ...change,
})

const problem = item({
  slug: 'slow',
  title: 'It is slow',
  category: 'Problems',
  client_id: '',
  systems: [],
})
const v2rayn = item({ slug: 'v2rayn', title: 'How to use v2rayN', systems: ['windows'] })

/** Answers with what fits the words; gives what was searched for. */
function serveList() {
  const asked: (string | null)[] = []
  server.use(
    http.get('*/api/v2/user/guides', ({ request }) => {
      const words = new URL(request.url).searchParams.get('q')
      asked.push(words)
      return success([item(), v2rayn, problem].filter(({ title }) => title.includes(words ?? '')))
    }),
  )
  return asked
}

beforeEach(() => server.use(stillLoading))

describe('the guides', () => {
  it('stand by category, and lead to their pages', async () => {
    serveList()
    await openSignedIn('/user/guides')
    const clients = await screen.findByRole('region', { name: 'Clients' })
    expect(within(clients).getAllByRole('link')).toHaveLength(2)
    expect(within(clients).getByText('iOS · macOS')).toBeVisible()
    const link = within(screen.getByRole('region', { name: 'Problems' })).getByRole('link')
    expect(link).toHaveAttribute('href', '/user/guides/slow')
  })

  it('are narrowed to a system, and to words', async () => {
    const asked = serveList()
    const { user } = await openSignedIn('/user/guides?system=windows')
    await screen.findByRole('link', { name: /v2rayN/ })
    expect(screen.queryByRole('link', { name: /Stash/ })).toBeNull()
    expect(screen.getByRole('link', { name: /slow/ })).toBeVisible()
    await user.type(screen.getByRole('searchbox', { name: 'Search the guides' }), 'zzz')
    await screen.findByText('No guide fits this search.')
    expect(asked).toContain('zzz')
    await user.click(screen.getByRole('link', { name: 'Show all guides' }))
    expect(await screen.findByRole('link', { name: /Stash/ })).toBeVisible()
  })

  it('may be none', async () => {
    server.use(http.get('*/api/v2/user/guides', () => success([])))
    await openSignedIn('/user/guides')
    expect(await screen.findByText('There are no guides yet.')).toBeVisible()
  })

  it('that fail are asked for again', async () => {
    server.use(
      http.get('*/api/v2/user/guides', () => failure(503, { message: 'Not now', code: 'not_now' })),
    )
    const { user } = await openSignedIn('/user/guides')
    expect(await screen.findByText('Not now')).toBeVisible()
    serveList()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: /Stash/ })).toBeVisible()
  })
})

describe('a guide', () => {
  it('is shown as Markdown, in which nothing is HTML', async () => {
    const text =
      '## Install\n\n`https://site.example/link`\n\n<script>alert(1)</script> [x](javascript:alert(1))'
    server.use(
      http.get('*/api/v2/user/guides/stash', () => success({ ...item(), markdown_text: text })),
    )
    await openSignedIn('/user/guides/stash')
    const article = await screen.findByRole('article')
    expect(await within(article).findByRole('heading', { name: 'Install' })).toBeVisible()
    expect(within(article).getByText('https://site.example/link')).toHaveProperty('tagName', 'CODE')
    expect(within(article).queryByRole('link')).toBeNull()
    expect(article.querySelector('script')).toBeNull()
    await waitFor(() => expect(document.title).toMatch(/^How to use Stash/))
  })

  it('that is not there leads back to all', async () => {
    server.use(
      http.get('*/api/v2/user/guides/gone', () =>
        failure(404, { message: 'Gone', code: 'guide_not_found' }),
      ),
    )
    await openSignedIn('/user/guides/gone')
    expect(await screen.findByText(/There is no such guide/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'All guides' })).toHaveAttribute('href', '/user/guides')
  })
})
