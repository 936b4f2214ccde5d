import { ApiUser } from '../harness/api-user.ts'
import { pages } from '../harness/pages.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

test.use({ allowedErrors: /status of 404/ })

type Ticket = { no: number; title: string }

async function openTicket(user: ApiUser, title: string): Promise<Ticket> {
  return user.call<Ticket>('POST', '/user/tickets-v2', { title, content: 'It does not connect.', category: 'connection' })
}

test('an owner finds a ticket by filters in the address, answers and resolves it by keys, and it is in the audit log', async ({ page, service }) => {
  const customer = await ApiUser.signUp(service.server.url)
  const { no } = await openTicket(customer, `Nothing opens ${Date.now()}`)
  await signIn(page, service.demo.admin)

  await page.goto(`/admin/tickets?awaiting=staff&email=${customer.credentials.email}`)
  const table = page.getByRole('table', { name: 'Tickets' })
  await expect(table.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Remove the filter User' }).click()
  await expect(page).toHaveURL(/\/admin\/tickets\?awaiting=staff$/)
  await page.goBack()
  await expect(page).toHaveURL(/email=/)
  await expect(table.getByRole('row')).toHaveCount(2)

  await page.keyboard.press('j')
  await expect(table.getByRole('link').first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/admin/tickets/${no}`))
  await expect(page.getByText('It does not connect.')).toBeVisible()
  const actions = page.getByRole('button', { name: /^Actions for/ })
  const assign = page.getByRole('menuitem', { name: 'Assign to me' })
  await actions.click()
  await assign.click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(async () => {
    await actions.click()
    await expect(assign, 'who takes the ticket back has it unassigned').toBeVisible({ timeout: 2_000 })
  }).toPass()
  await assign.click()
  await expect(page.getByRole('button', { name: 'Undo' }).last()).toBeVisible()
  await expect(page.getByRole('menu'), 'a menu takes the keys').toHaveCount(0)
  await page.keyboard.press('r')
  await expect(page.getByRole('textbox', { name: /^Reply to the user/ })).toBeFocused()
  await page.keyboard.type('Please import the link again.')
  await page.keyboard.press('Control+Shift+Enter')
  await expect(page.getByRole('log').getByText('Please import the link again.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 }).locator('..').getByText('Resolved')).toBeVisible()

  const admin = await ApiUser.signIn(service.server.url, service.demo.admin)
  const { rows } = await admin.call<{ rows: { action: string; object: string }[] }>('GET', '/staff/audit?limit=20')
  expect(rows.map(({ action }) => action)).toContain('ticket.answer')
})

test('a member of support sees tickets and no page of money; who is not of staff sees no console', async ({ page, browser, service }) => {
  const member = await ApiUser.signUp(service.server.url)
  await service.server.command('user', 'role', member.credentials.email, 'support')
  await signIn(page, member.credentials)
  await page.goto('/admin')
  const menu = page.getByRole('navigation', { name: 'Console navigation' })
  await expect(menu.getByRole('link', { name: 'Tickets' })).toBeVisible()
  for (const name of ['Approvals', 'Payouts', 'Refund requests', 'Payment cases']) await expect(menu.getByRole('link', { name })).toHaveCount(0)

  const customer = await ApiUser.signUp(service.server.url)
  const other = await (await browser.newContext({ baseURL: service.server.url, locale: 'en-US' })).newPage()
  await signIn(other, customer.credentials)
  await other.goto('/admin/tickets')
  await expect(other.getByText('404 · Page Not Found')).toBeVisible()
  await expect(other.getByText('Console', { exact: true })).toHaveCount(0)
  await other.context().close()
})

test('customers download nothing of the console', async ({ page, service }) => {
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await signIn(page, service.demo.user)
  await page.goto('/user/tickets')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(loaded.filter((url) => /assets\/(console|shell|routes)-/.test(url))).toEqual([])
})

test('on tablets no page of the console is wider than the window, and a wide list scrolls by itself', async ({ page, service }) => {
  await signIn(page, service.demo.admin)
  for (const path of pages().console) {
    await page.setViewportSize({ width: 700, height: 900 })
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }).first(), path).toBeVisible()
    await expect(page.locator('[aria-busy=true]'), path).toHaveCount(0)
    for (const width of [700, 768, 900]) {
      await page.setViewportSize({ width, height: 900 })
      const wide = () => page.evaluate(() => document.documentElement.scrollWidth)
      await expect.configure({ soft: true }).poll(wide, `${path}, ${width} px`).toBeLessThanOrEqual(width)
    }
  }
  await page.goto('/admin/jobs')
  const list = page.getByRole('group', { name: 'Jobs' })
  await list.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => list.evaluate((box) => box.scrollLeft)).toBeGreaterThan(0)
})
