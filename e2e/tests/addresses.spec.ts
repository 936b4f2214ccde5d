import { notFoundMessage, pages } from '../harness/pages.ts'
import { expect, test } from '../harness/test.ts'

const { open, user } = pages()
const missing = ['/no-such-page', '/user/no-such-page', '/wp-login.php', '/.env', '/.vite/manifest.json']

test('every page of the app is there for programs and for browsers, and no other address is', async ({ service }) => {
  const ask = (path: string, accept: string) => fetch(new URL(path, service.server.url), { headers: { accept } })
  for (const accept of ['*/*', 'application/json', 'text/html,application/xhtml+xml,*/*;q=0.8']) {
    for (const path of ['/', ...open, ...user, '/user/wallet/billing/view-invoice/1']) {
      expect((await ask(path, accept)).status, `${path} for ${accept}`).toBe(200)
    }
    for (const path of missing) {
      const answer = await ask(path, accept)
      expect(answer.status, `${path} for ${accept}`).toBe(404)
      if (!accept.includes('html')) expect(await answer.json()).toMatchObject({ code: 'route_not_found' })
    }
  }
})

test.describe('a browser', () => {
  test.use({ allowedErrors: notFoundMessage })

  test('gets the not-found page with the status of one', async ({ page }) => {
    const answer = await page.goto('/no-such-page')
    expect(answer?.status()).toBe(404)
    await expect(page.getByText('404 · Page Not Found')).toBeVisible()
    expect(await page.getByRole('heading', { level: 1 }).innerText()).not.toBe('')
  })
})
