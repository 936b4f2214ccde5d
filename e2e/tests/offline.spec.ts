import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

test.use({ allowedErrors: /ERR_INTERNET_DISCONNECTED|dynamically imported module|LostChunkError/ })

test('a page that could not be loaded comes by itself once there is a network', async ({ page, context, service }) => {
  await signIn(page, service.demo.user)
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Tickets' }).first().press('Enter')
  await expect(page.getByText('The server can’t be reached', { exact: false })).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Tickets' })).toBeVisible()
})
