import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

// A sign-in with a removed passkey is refused, and the browser logs the 401.
test.use({ allowedErrors: /status of 401/ })

// Nothing else shows that a browser has a pending passkey request.
test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    const get = navigator.credentials.get.bind(navigator.credentials)
    navigator.credentials.get = (options) => {
      const answer = get(options)
      if (options?.mediation === 'conditional') Object.assign(window, { passkeyOffered: true })
      return answer
    }
  }),
)

test('two passkeys are added, each signs in, and none once it is removed', async ({ page, service }) => {
  const user = service.demo.user
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
  await expect(passkeys(page).getByText('Old laptop')).toBeVisible()

  await test.step('sign in by the button, while the browser offers to fill in', async () => {
    await laptop.ownerIs('away')
    await signOut(page)
    await offered(page)
    await laptop.ownerIs('there')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page).toHaveURL('/user/dashboard')
  })
  await test.step('sign in by what the browser fills in', async () => {
    await page.goto('/auth/sign-out')
    await expect(page).toHaveURL('/user/dashboard')
  })

  await page.goto('/user/account/security')
  await expect(passkeys(page).getByRole('listitem').filter({ hasText: 'Old laptop' })).toContainText('Last used')
  await expect(passkeys(page).getByRole('listitem').filter({ hasText: 'Phone' })).not.toContainText('Last used')
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(passkeys(page).getByRole('listitem')).toHaveCount(1)

  await laptop.ownerIs('away')
  await signOut(page)
  await offered(page)
  await laptop.ownerIs('there')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByText('This site does not know this passkey')).toBeVisible()
  await expect(page).toHaveURL(/\/auth\/sign-in/)
})

const passkeys = (page: Page) => page.getByRole('list', { name: 'Passkeys' })

async function addPasskey(page: Page, name: string, password: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Create the passkey' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(passkeys(page).getByText(name)).toBeVisible()
}

async function signOut(page: Page): Promise<void> {
  await page.goto('/auth/sign-out')
  await expect(page).toHaveURL(/\/auth\/sign-in/)
}

/** Waits until the page has requested passkeys for autofill. */
async function offered(page: Page): Promise<void> {
  await page.waitForFunction(() => 'passkeyOffered' in window)
}

/** A virtual authenticator. Its user confirms every request at once, also for autofill. */
class Device {
  readonly #cdp: CDPSession
  readonly #authenticatorId: string

  private constructor(cdp: CDPSession, authenticatorId: string) {
    this.#cdp = cdp
    this.#authenticatorId = authenticatorId
  }

  static async attach(page: Page): Promise<Device> {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    })
    return new Device(cdp, authenticatorId)
  }

  async ownerIs(where: 'there' | 'away'): Promise<void> {
    await this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: this.#authenticatorId, enabled: where === 'there' })
  }

  async leave(): Promise<void> {
    await this.#cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#authenticatorId })
  }
}
