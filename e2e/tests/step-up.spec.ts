import type { Page } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import type { TestService } from '../harness/test-service.ts'
import { expect, test } from '../harness/test.ts'
import type { Credentials } from '../harness/user.ts'

// The refusals that the dialogs follow.
test.use({ allowedErrors: /status of (403|422)/ })

/** Signs a page in by a signed address: its session has shown no password, as one that was left open long ago. */
async function signInUnproved(page: Page, service: TestService, { email }: Credentials): Promise<void> {
  const { url } = JSON.parse(await service.server.command('user', 'sign-in-url', email)) as { url: string }
  await page.goto(url)
  await expect(page).toHaveURL('/user/dashboard')
}

const asked = (page: Page) => page.getByRole('dialog', { name: 'Confirm it is you' })

async function show(page: Page, password: string): Promise<void> {
  await asked(page).getByLabel('Your password', { exact: true }).fill(password)
  await asked(page).getByRole('button', { name: 'Continue' }).click()
}

test('a customer shows the password before other devices are signed out, once for ten minutes', async ({ page, service }) => {
  const user = await ApiUser.signUp(service.server.url)
  await ApiUser.signIn(service.server.url, user.credentials)
  await signInUnproved(page, service, user.credentials)
  await page.goto('/user/account/security')
  const ends = page.getByRole('listitem').getByRole('button', { name: /^Sign out / })
  await expect(ends).toHaveCount(2)

  await test.step('who cancels signs nobody out', async () => {
    await ends.first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect(asked(page)).toBeVisible()
    await expect(asked(page).getByLabel('Your password', { exact: true })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(asked(page)).toHaveCount(0)
    await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await expect(ends).toHaveCount(2)
  })

  await test.step('a wrong password is said at the field, and the right one goes on with the act', async () => {
    await ends.first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    await show(page, 'not the password')
    await expect(asked(page).getByLabel('Your password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
    await show(page, user.credentials.password)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(ends).toHaveCount(1)
  })

  await test.step('the next act asks no more', async () => {
    await ends.first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(ends).toHaveCount(0)
  })
})

test('a member of staff shows the password before a share account is made, and what was typed is kept', async ({ page, service }) => {
  const name = `Asked ${crypto.randomUUID().slice(0, 8)}`
  await signInUnproved(page, service, service.demo.admin)
  await page.goto('/admin/share-accounts/new')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Password' }).fill('the secret')
  await page.getByRole('button', { name: 'Save' }).click()
  await show(page, service.demo.admin.password)
  await expect(page.getByText('The share account is saved')).toBeVisible()
  await expect(page.getByRole('link', { name })).toBeVisible()
})

test('a page of staff that is opened by its address asks before it shows its list', async ({ page, service }) => {
  await signInUnproved(page, service, service.demo.admin)
  await page.goto('/admin/payouts')
  await show(page, service.demo.admin.password)
  await expect(page.getByRole('table', { name: 'Payouts' })).toBeVisible()
})
