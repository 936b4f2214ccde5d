import { ApiUser } from '../harness/api-user.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'

test.describe('after five wrong passwords', () => {
  test.use({ allowedErrors: /status of 40[13]/ })

  test('the browser solves the proof of work and the sign-in continues', async ({ page, service }) => {
    const { credentials } = await ApiUser.signUp(service.server.url)
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
    await page.goto('/auth/sign-in')
    await page.getByLabel('Email').fill(credentials.email)
    const password = page.getByLabel('Password', { exact: true })
    for (let i = 0; i < 5; i++) {
      await password.fill(`wrong-password-${i}`)
      const answer = page.waitForResponse(/account_login\/login$/)
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect((await answer).status()).toBe(401)
      await expect(page.getByRole('alert')).toBeVisible()
    }
    expect(scripts.filter((path) => /captcha|worker/.test(path)), 'loaded before it was asked for').toEqual([])

    await password.fill(credentials.password)
    const refused = page.waitForResponse((response) => response.status() === 403)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await refused
    await expect(page.getByRole('group', { name: 'Check that you are human' })).toBeVisible()
    await expect(page.getByRole('progressbar')).toBeVisible()
    await expect(page).toHaveURL('/user/dashboard', { timeout: 90_000 })
  })
})

test.describe('a signed login link', () => {
  const addressFor = async (service: TestService, { credentials: { email } }: ApiUser) =>
    (JSON.parse(await service.server.command('user', 'sign-in-url', email)) as { url: string }).url

  test('leads to the dashboard and removes its tokens from the address', async ({ page, service }) => {
    const apiUser = await ApiUser.signUp(service.server.url)
    const address = await addressFor(service, apiUser)
    const seen: string[] = []
    page.on('framenavigated', (frame) => seen.push(frame.url()))
    await page.goto(address)
    await expect(page).toHaveURL('/user/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(seen.at(-1)).not.toContain('token')
    expect(await page.evaluate(() => history.length), 'entries that lead back to the tokens').toBeLessThanOrEqual(2)

    await page.evaluate(() => { localStorage.clear(); sessionStorage.clear() })
    await page.goto(address)
    await expect(page).toHaveURL('/auth/sign-in?reason=sign_in_link_invalid')
    await expect(page.getByRole('alert')).toContainText('was used already')
  })

  test('asks before it replaces the session of another user', async ({ page, service }) => {
    const [first, second] = [await ApiUser.signUp(service.server.url), await ApiUser.signUp(service.server.url)]
    await page.goto(await addressFor(service, first))
    await expect(page).toHaveURL('/user/dashboard')
    await page.goto(await addressFor(service, second))
    await expect(page.getByRole('heading', { name: 'Switch accounts?' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText(second.credentials.email)
    expect(page.url()).not.toContain('#')
    await page.getByRole('button', { name: 'Switch to this account' }).click()
    await expect(page).toHaveURL('/user/dashboard')
    const user = await page.evaluate(() => JSON.parse(atob((sessionStorage.getItem('access_token') ?? '').split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))))
    expect(user.subject_access.email).toBe(second.credentials.email)
  })
})
