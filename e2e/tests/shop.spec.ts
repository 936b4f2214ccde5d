import { randomUUID } from 'node:crypto'
import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

/* What a apiUser does with a plan besides using it: a coupon, another plan, automatic renewal, a refund. */

test.use({ allowedErrors: /status of 422/ }) // A coupon that does not exist.

test('buy with a coupon, change the plan, let it renew itself, ask for it back', async ({ page, service }) => {
  const plan = `Plain ${randomUUID().slice(0, 8)}`
  const better = `Better ${randomUUID().slice(0, 8)}`
  const coupon = `E2E-${randomUUID().slice(0, 8)}`.toUpperCase()
  await service.addPlan('--name', plan, '--quota-gb', '10', '--price', '1=20.00')
  await service.addPlan('--name', better, '--quota-gb', '20', '--price', '1=50.00')
  await service.server.command('coupon', 'add', coupon, '--percent', '25', '--per-user', '1')
  const apiUser = await ApiUser.signUp(service.server.url)
  await apiUser.recharge('100')
  await signIn(page, apiUser.credentials)

  await test.step('buy with a coupon', async () => {
    await page.goto('/user/services/buy')
    await page.getByRole('radio', { name: plan }).check({ force: true })
    const summary = page.getByRole('region', { name: 'Summary' })
    await summary.getByRole('button', { name: 'Have a coupon?' }).click()
    await summary.getByLabel('Coupon').fill('NO-SUCH-COUPON')
    await page.keyboard.press('Enter')
    await expect(summary.getByText('There is no such coupon')).toBeVisible()
    await summary.getByLabel('Coupon').fill(coupon.toLowerCase())
    await page.keyboard.press('Enter')
    await summary.getByRole('button', { name: 'Pay ¥15.00 from balance' }).click()
    await expect(page.getByRole('heading', { name: 'Done' })).toBeVisible()
  })

  await test.step('change the plan for what is missing to its price', async () => {
    await page.goto('/user/services')
    await page.getByRole('article', { name: plan }).getByRole('link', { name: 'Change plan' }).click()
    await expect(page.getByRole('radio', { name: plan })).toBeDisabled()
    await page.getByRole('radio', { name: better }).check({ force: true })
    const summary = page.getByRole('region', { name: 'Summary' })
    await expect(summary.getByText(`Unused part of ${plan}`)).toBeVisible()
    await summary.getByRole('button', { name: /Pay ¥35\.\d\d from balance$/ }).click() // 50 minus nearly all of 15.
    await page.getByRole('dialog').getByRole('button', { name: 'Change plan' }).click()
    await expect(page.getByRole('heading', { name: 'Done' })).toBeVisible()
  })

  await test.step('turn the automatic renewal on, and see it among the renewals', async () => {
    await page.goto('/user/services')
    const toggle = page.getByRole('switch', { name: `Renew ${better} by itself` })
    await expect(toggle).not.toBeChecked()
    await toggle.click({ force: true })
    await expect(toggle).toBeChecked()
    await page.goto('/user/services/renewals')
    await expect(page.getByRole('article', { name: better })).toContainText('¥50.00 for 1 month')
  })

  await test.step('ask for a refund', async () => {
    await page.goto('/user/services')
    await page.getByRole('button', { name: 'Ask for a refund' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('It would bring now')).toBeVisible()
    await dialog.getByLabel('Why do you want it back?').fill('I move to where it is not needed.')
    await dialog.getByRole('button', { name: 'Ask for the refund' }).click()
    await expect(page.getByText('Refund asked for')).toBeVisible()
    await page.reload()
    await expect(page.getByText('I move to where it is not needed.')).toBeVisible()
  })

  await test.step('see the bills in the classic table', async () => {
    await page.goto('/user/services-old')
    await page.getByRole('button', { name: `Bills of ${plan}` }).click()
    await expect(page.getByRole('table', { name: 'Bills' })).toContainText('¥15.00')
  })
})
