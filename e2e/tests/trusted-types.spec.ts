import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

// first-visit.spec.ts sees that every page requires Trusted Types and violates nothing as it comes.

test('the page of a link works', async ({ page, service }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const answer = await page.goto(`/link2/${service.demo.user.link_token}`)
  expect(answer?.headers()['content-security-policy']).toContain("require-trusted-types-for 'script'")
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
})

test('charts, dialogs, codes and both schemes work', async ({ page, service }) => {
  await signIn(page, service.demo.user)
  const chart = page.locator('canvas').first()
  await chart.scrollIntoViewIfNeeded()
  await chart.hover()
  for (const name of ['QR code', 'Other clients', 'Account menu', 'Search']) {
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
    await expect(page.locator('[role=dialog], [role=menu]')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.locator('[role=dialog], [role=menu]')).toHaveCount(0)
  }
  await page.evaluate(() => localStorage.setItem('color-scheme', 'auto'))
  await page.goto('/user/dashboard')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator(`html[data-mantine-color-scheme=${colorScheme}]`)).toHaveCount(1)
  }
})

test.describe('an injected script', () => {
  test.use({ allowedErrors: /Trusted|policy|Content Security Policy/ })

  for (const path of ['/auth/sign-in', '/user/dashboard']) {
    test(`cannot turn text into elements or scripts at ${path}`, async ({ page, service }) => {
      if (path.startsWith('/user')) await signIn(page, service.demo.user)
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const outcome = await page.evaluate(() => {
        const attempt = (act: () => void) => {
          try {
            act()
            return 'done'
          } catch (error) {
            return error instanceof Error ? error.name : 'thrown'
          }
        }
        const harm = '<img id=harm src=x onerror="window.harmed = true">'
        const script = document.createElement('script')
        const frame = document.createElement('iframe')
        return {
          innerHTML: attempt(() => { document.body.innerHTML = harm }),
          outerHTML: attempt(() => { document.querySelector('h1')!.outerHTML = harm }),
          insert: attempt(() => document.body.insertAdjacentHTML('beforeend', harm)),
          write: attempt(() => document.write(harm)),
          parse: attempt(() => new DOMParser().parseFromString(harm, 'text/html')),
          srcdoc: attempt(() => { frame.srcdoc = harm }),
          handler: attempt(() => document.body.setAttribute('onclick', 'window.harmed = true')),
          text: attempt(() => { script.text = 'window.harmed = true' }),
          foreign: attempt(() => { script.src = 'https://example.com/assets/x.js' }),
          data: attempt(() => { script.src = 'data:text/javascript,window.harmed = true' }),
          worker: attempt(() => new Worker('blob:x')),
          policy: attempt(() => (window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } })
            .trustedTypes.createPolicy('mine', { createHTML: (html: string) => html })),
          again: attempt(() => (window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } })
            .trustedTypes.createPolicy('default', { createHTML: (html: string) => html })),
          own: attempt(() => { script.src = '/assets/none.js' }),
        }
      })
      // A document that DOMParser makes is shown to nobody and runs nothing; the editor of mail templates reads such.
      const { own, parse, ...attempts } = outcome
      expect({ own, parse }).toEqual({ own: 'done', parse: 'done' })
      expect(Object.entries(attempts).filter(([, what]) => what !== 'TypeError')).toEqual([])
      await expect(page.locator('#harm')).toHaveCount(0)
      expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    })
  }
})
