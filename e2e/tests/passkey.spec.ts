import type { Page } from '@playwright/test'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

// A sign-in whose passkey was removed is refused, and the browser notes the 401.
test.use({ tolerated: /status of 401/ })

test('two passkeys are added, one signs in, and none once it is removed', async ({ page, station }) => {
  const user = station.demo.user
  const phone = await Device.attach(page)
  await signIn(page, user)
  await page.goto('/user/account/security')
  await addPasskey(page, 'Phone', user.password)
  await phone.leave()
  const laptop = await Device.attach(page)
  await addPasskey(page, 'Laptop', user.password)

  await page.getByRole('button', { name: 'Rename Laptop' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('list', { name: 'Passkeys' }).getByText('Old laptop')).toBeVisible()

  await signInByPasskey(page)
  await page.goto('/user/account/security')
  await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Last used')
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem')).toHaveCount(1)

  await page.goto('/auth/sign-out')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByText('This site does not know this passkey')).toBeVisible()
  await laptop.leave()
})

async function addPasskey(page: Page, name: string, password: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Create the passkey' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('list', { name: 'Passkeys' }).getByText(name)).toBeVisible()
}

/** By the button, or by what the browser fills in where it is faster. */
async function signInByPasskey(page: Page): Promise<void> {
  await page.goto('/auth/sign-out')
  await expect(page).toHaveURL(/\/auth\/sign-in|\/user\/dashboard/)
  if (!page.url().endsWith('/user/dashboard')) await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page).toHaveURL('/user/dashboard')
}

/** A device with passkeys beside the browser, which always finds its owner. */
class Device {
  readonly leave: () => Promise<unknown>

  private constructor(leave: () => Promise<unknown>) {
    this.leave = leave
  }

  static async attach(page: Page): Promise<Device> {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    })
    return new Device(() => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }))
  }
}
