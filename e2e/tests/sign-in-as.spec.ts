import { randomUUID } from 'node:crypto'
import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

test.use({ allowedErrors: /status of 403/ }) // What a visit is refused.

test('a member sees the site as a user does, can buy nothing, and their own session goes on', async ({ page, service }) => {
  const plan = `Plain ${randomUUID().slice(0, 8)}`
  await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=20.00')
  const customer = await ApiUser.signUp(service.server.url)
  await customer.recharge('100')
  const { user_id: id } = await customer.call<{ user_id: number }>('GET', '/user/get_me')
  await signIn(page, service.demo.admin)
  await page.goto(`/admin/users/${id}`)

  await page.getByRole('button', { name: `Actions for ${customer.credentials.email}` }).click()
  await page.getByRole('menuitem', { name: 'Sign in as this user' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in as this user' })
  await dialog.getByLabel(/^Reason/).fill('the shop looks empty')
  const opened = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Sign in as this user' }).click()
  const visit = await opened
  await expect(visit).toHaveURL('/user/dashboard')
  const bar = visit.getByRole('region', { name: 'Signed in as a user' })
  await expect(bar).toContainText(customer.credentials.email)
  await expect(bar).toContainText('minutes left')
  expect(await visit.evaluate(() => location.hash)).toBe('')

  await test.step('nothing can be bought', async () => {
    await visit.goto('/user/services/buy')
    await visit.getByRole('radio', { name: plan }).click({ force: true })
    await expect(visit.getByText('You are signed in as this user to look only').first()).toBeVisible()
    await expect(bar).toBeVisible()
    const { wallet_balance: balance } = await customer.call<{ wallet_balance: string }>('GET', '/user/wallet')
    expect(balance).toBe('100.00')
  })

  await test.step('the member’s own session goes on in the other tab', async () => {
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: customer.credentials.email })).toBeVisible()
    await page.goto('/user/dashboard')
    await expect(page.getByRole('region', { name: 'Signed in as a user' })).toHaveCount(0)
  })

  await test.step('the end leads back to the console', async () => {
    await visit.reload()
    await bar.getByRole('button', { name: 'End' }).click()
    await expect(visit).toHaveURL(`/admin/users/${id}`)
    await expect(visit.getByRole('region', { name: 'Signed in as a user' })).toHaveCount(0)
    const { activities } = await customer.call<{ activities: { activity_type: string }[] }>('GET', '/user/account/activity')
    expect(activities[0]?.activity_type).toBe('staff_signed_in')
  })
})
