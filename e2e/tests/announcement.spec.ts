import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

const address = '/user/announcements/announcements'
let made: number[] = []

async function announce(admin: ApiUser, announcement: object): Promise<void> {
  const { id } = await admin.call<{ id: number }>('POST', '/staff/announcements', announcement)
  made.push(id)
}

/** Other tests share the service: no dialog of this one may stand in their way. */
test.afterEach(async ({ service }) => {
  for (const id of made) await service.server.command('announcement', 'remove', String(id))
  made = []
})

test('a pop-up is seen once, whatever device it was on, and the bell counts what is new', async ({ page, browser, service }) => {
  const admin = await ApiUser.signIn(service.server.url, service.demo.admin)
  const user = await ApiUser.signUp(service.server.url)
  await announce(admin, { ann_type: 'pop_up_ann', title: 'Please read', body: 'Something **new**' })
  await signIn(page, user.credentials)
  const dialog = page.getByRole('dialog', { name: 'Please read' })
  await expect(dialog.getByText('new', { exact: true })).toBeVisible()
  const bell = page.locator('aside').getByRole('link', { name: /^Announcements, \d+ unread$/ })
  const unread = async () => Number(/\d+/.exec((await bell.getAttribute('aria-label')) ?? '')?.[0])
  const before = await unread()
  await expect(dialog.getByRole('button', { name: 'Got it' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect.poll(unread).toBe(before - 1)

  const other = await (await browser.newContext({ baseURL: service.server.url, locale: 'en-US' })).newPage()
  await signIn(other, user.credentials)
  await expect(other.locator('aside').getByRole('link', { name: /unread$/ })).toBeVisible()
  await expect(other.getByRole('dialog')).toHaveCount(0)
  await other.context().close()

  await bell.click()
  await expect(page).toHaveURL(address)
  await expect(page.getByRole('article', { name: 'Please read' })).toBeVisible()
  await expect(page.locator('aside').getByRole('link', { name: 'Announcements', exact: true }).first()).toBeVisible()
  await expect(bell).toHaveCount(0)
})

test('a note on maintenance stands above every page, for guests too', async ({ page, service }) => {
  const admin = await ApiUser.signIn(service.server.url, service.demo.admin)
  await announce(admin, { ann_type: 'maintenance', title: 'Tonight', body: 'From **two** to three' })
  await page.goto('/auth/sign-in')
  const strip = page.getByRole('region', { name: 'Maintenance' })
  await strip.getByText('Tonight').click()
  await expect(strip.getByText('two', { exact: true })).toBeVisible()
  await signIn(page, service.demo.user)
  await expect(strip.getByText('Tonight')).toBeVisible()
})

const hostile = [
  '<script>window.harmed = true</script>', '<img src=x onerror="window.harmed = true">', '<svg onload="window.harmed = true">',
  '[a](javascript:window.harmed=true)', '[a](&#106;avascript:window.harmed=true)', '[a](data:text/html,<script>window.harmed=true</script>)',
  '![a](https://evil.example/pixel.png)', '![a](javascript:window.harmed=true)', '<iframe srcdoc="<script>parent.harmed=true</script>">',
  '<style>body{display:none}</style>', '<a href="x" onclick="window.harmed=true">a</a>', '<https://evil.example/"onclick=window.harmed=true>',
]

test('hostile text runs nothing, loads nothing and trips no policy', async ({ page, service }) => {
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      console.error('refused by the policy:', effectiveDirective, blockedURI))
  })
  const admin = await ApiUser.signIn(service.server.url, service.demo.admin)
  const body = hostile.join('\n\n')
  await announce(admin, { title: hostile[0], body })
  await announce(admin, { ann_type: 'maintenance', title: hostile[1], body })
  await announce(admin, { ann_type: 'pop_up_ann', title: hostile[1], body })
  await page.goto('/auth/sign-in')
  await page.getByRole('region', { name: 'Maintenance' }).locator('summary').click()
  await signIn(page, service.demo.user)
  await page.getByRole('dialog').getByRole('button', { name: 'Got it' }).click()
  await page.goto(address)
  const articles = page.getByRole('article')
  await expect(articles.getByText(hostile[0] ?? '').first()).toBeVisible()
  await expect(articles.locator('p').filter({ hasText: '<style>' }).first()).toBeVisible()
  expect(await articles.locator('script, img, svg, iframe, style, [onclick], [onload], [onerror]').count()).toBe(0)
  const schemes = await articles.locator('a').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol))
  expect(schemes.filter((scheme) => !/^(https?|mailto|tg):$/.test(scheme))).toEqual([])
  for (const link of await articles.locator('a:not([target])').all()) await link.click({ trial: true })
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false)
})
