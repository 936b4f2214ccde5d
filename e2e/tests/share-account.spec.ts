import { createHmac, randomUUID } from 'node:crypto'
import type { Page, Response } from '@playwright/test'
import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

/** The key of RFC 6238's test vectors, as bytes and in base32. */
const KEY = '12345678901234567890'
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const PERIOD_MS = 30_000

/** The TOTP code of a period of 30 s, by RFC 6238. */
function totp(period: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(period))
  const digest = createHmac('sha1', KEY).update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Collects what the API answers a page. */
function answersOf(page: Page): Promise<string>[] {
  const answers: Promise<string>[] = []
  const read = (response: Response) => response.url().includes('/api/') && answers.push(response.text().catch(() => ''))
  page.on('response', read)
  return answers
}

test('a member of staff shares an account, users of the plan see its secrets on demand, and a new secret is seen again', async ({ page, browser, service }) => {
  const [mark, first, second] = [randomUUID().slice(0, 8), randomUUID(), randomUUID()]
  const plan = JSON.parse(await service.server.command('plan', 'add', '--name', `Films ${mark}`, '--quota-gb', '10', '--price', '1=1.00')) as {
    ID: number
    Prices: [{ ID: number }]
  }
  const user = await ApiUser.signUp(service.server.url)
  await user.recharge('1')
  await user.buy(plan.Prices[0].ID)
  const outsider = await ApiUser.signUp(service.server.url)
  const name = `Cinema ${mark}`
  const console = await (await browser.newContext({ baseURL: service.server.url, locale: 'en-US' })).newPage()
  const toStaff = answersOf(console)
  const toUser = answersOf(page)

  await test.step('staff makes it for users of one plan', async () => {
    await signIn(console, service.demo.admin)
    await console.goto('/admin/share-accounts/new')
    await console.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
    await console.getByLabel('Where to sign in').fill('https://films.example/login')
    await console.getByLabel('User name').fill('family@films.example')
    await console.getByRole('textbox', { name: 'Password' }).fill(first)
    await console.getByRole('textbox', { name: 'Key of the codes (TOTP)' }).fill(SEED)
    await console.getByRole('checkbox', { name: `Films ${mark}` }).check()
    await console.getByRole('button', { name: 'Save' }).click()
    await expect(console.getByText('The share account is saved')).toBeVisible()
    await console.getByRole('link', { name }).click()
    await expect(console.getByText('Nobody has seen the secret yet.')).toBeVisible()
  })

  const card = page.getByRole('article', { name })
  const show = card.getByRole('button', { name: 'Show password' })
  await test.step('a user of the plan reveals the password and a code', async () => {
    await signIn(page, user.credentials)
    await page.goto('/user/share-accounts')
    await expect(card.getByRole('link', { name: `Open the site of ${name}` })).toHaveAttribute('href', 'https://films.example/login')
    await expect(card.getByText(first)).toHaveCount(0)
    await show.click()
    await expect(card.getByText('family@films.example')).toBeVisible()
    await expect(card.getByText(first)).toBeVisible()
    await card.getByRole('button', { name: 'Hide' }).click()
    await expect(card.getByText(first)).toHaveCount(0)

    const begun = Math.floor(Date.now() / PERIOD_MS)
    await card.getByRole('button', { name: 'Get a code' }).click()
    const code = card.getByLabel('Verification code', { exact: true })
    await expect(code).toHaveText(/^\d{6}$/)
    expect([totp(begun), totp(begun + 1)]).toContain(await code.innerText())
  })

  await test.step('a user of no plan has nothing of it', async () => {
    const { available_accounts: others } = await outsider.call<{ available_accounts: unknown[] }>('GET', '/user/services/share-account')
    expect(others.filter((one) => JSON.stringify(one).includes(name))).toEqual([])
  })

  const viewers = console.getByRole('table', { name: 'Who saw the secret' })
  const viewer = viewers.getByRole('row', { name: new RegExp(user.credentials.email) })
  await test.step('the showing is in the log', async () => {
    await console.reload()
    await expect(viewer).toContainText('The present one')
    await expect(viewers.getByRole('row')).toHaveCount(2)
  })

  await test.step('staff replaces the secret, and the user is told to look again', async () => {
    await console.getByRole('button', { name: 'Replace the secret' }).click()
    const dialog = console.getByRole('dialog', { name: 'Replace the secret' })
    await expect(dialog).toContainText('1 user has seen the present one')
    await dialog.getByRole('textbox', { name: 'Password' }).fill(second)
    await dialog.getByRole('button', { name: 'Replace the secret' }).click()
    await expect(console.getByText(`The secret of “${name}” is replaced`)).toBeVisible()
    await expect(viewer).toContainText('A former one')

    await page.reload()
    await expect(card.getByText('The password was replaced; please look at it again.')).toBeVisible()
    await show.click()
    await expect(card.getByText(second)).toBeVisible()
    await expect(card.getByText('The password was replaced; please look at it again.')).toHaveCount(0)
    await console.reload()
    await expect(viewer).toContainText('The present one')
  })

  const [staffSaw, userSaw] = [(await Promise.all(toStaff)).join('\n'), (await Promise.all(toUser)).join('\n')]
  expect(staffSaw, 'staff never reads a secret again').not.toContain(first)
  expect(userSaw).toContain(second)
  for (const answer of [staffSaw, userSaw]) expect(answer, 'the key of the codes').not.toContain(SEED)
  await console.context().close()
})
