import { ApiUser } from '../harness/api-user.ts'
import { expect, test } from '../harness/test.ts'
import { signIn } from '../harness/user.ts'

/** A picture of one pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=='

type Conversation = { messages: { content: string; attachments: { id: string; name: string; media_type: string }[] }[] }

test('a customer sends a picture and a log, and reads the answer as it comes', async ({ page, service }) => {
  const admin = await ApiUser.signIn(service.server.url, service.demo.admin)
  const user = await ApiUser.signUp(service.server.url)
  await signIn(page, user.credentials)
  await page.goto('/user/tickets/new')
  await page.getByLabel('Subject').fill('It does not connect')
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('See the picture')
  await message.evaluate(async (field, data) => {
    const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0))
    const clipboard = new DataTransfer()
    clipboard.items.add(new File([bytes], 'screen.png', { type: 'image/png' }))
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: clipboard, bubbles: true, cancelable: true }))
  }, picture)
  const chosen = page.getByRole('list', { name: 'Files to send' })
  await expect(chosen.getByText('screen.png')).toBeVisible()
  await page.locator('input[type=file]').setInputFiles({
    name: 'client.html',
    mimeType: 'text/html',
    buffer: Buffer.from('<script>window.harmed = true</script>'),
  })
  await expect(chosen.getByRole('button', { name: /^Remove/ })).toHaveCount(2)
  await expect(chosen.getByText('client.html.txt')).toBeVisible()
  await page.getByRole('button', { name: 'Open the ticket' }).click()
  await expect(page).toHaveURL(/\/user\/tickets\/view\/\d+$/)

  const conversation = page.getByRole('log')
  const shown = conversation.getByRole('button', { name: 'Show screen.png' })
  await expect(shown).toBeVisible()
  await expect.poll(() => shown.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
  await shown.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'screen.png' })
  await expect(dialog.getByRole('img', { name: 'screen.png' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(shown).toBeFocused()
  const download = page.waitForEvent('download')
  await conversation.getByRole('button', { name: /client\.html\.txt/ }).click()
  expect((await download).suggestedFilename()).toBe('client.html.txt')
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false)

  const no = page.url().split('/').at(-1)
  const seen = await admin.call<Conversation>('GET', `/staff/tickets/${no}`)
  expect(seen.messages[0]?.attachments.map(({ media_type }) => media_type).toSorted()).toEqual(['image/png', 'text/plain'])
  await expect(conversation).toBeVisible()
  await admin.call('POST', `/staff/tickets/${no}/messages`, { content: 'Please update the app' })
  await expect(conversation.getByText('Please update the app')).toBeVisible({ timeout: 2_000 })
})

test.describe('over a network that breaks', () => {
  test.use({ allowedErrors: /ERR_CONNECTION_RESET/ })

  test('a file that does not arrive is uploaded again, and one that is taken away is not sent', async ({ page, service }) => {
    const user = await ApiUser.signUp(service.server.url)
    await signIn(page, user.credentials)
    const { no } = await user.call<{ no: number }>('POST', '/user/tickets-v2', { title: 'Files', content: 'They come' })
    await page.goto(`/user/tickets/view/${no}`)
    let lost = 0
    await page.route('**/api/v2/user/ticket-attachments/**', async (route) => {
      if (route.request().method() !== 'PUT' || lost > 0) return route.continue()
      lost += 1
      return route.abort('connectionreset')
    })
    await page.locator('input[type=file]').setInputFiles([
      { name: 'one.log', mimeType: 'text/plain', buffer: Buffer.from('one') },
      { name: 'two.log', mimeType: 'text/plain', buffer: Buffer.from('two') },
    ])
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await expect(send).toBeEnabled()
    expect(lost).toBe(1)
    await page.getByRole('button', { name: 'Remove one.log' }).click()
    await page.reload()
    await expect(page.getByRole('list', { name: 'Files to send' }).getByRole('listitem')).toHaveCount(1)
    await send.click()
    await expect(page.getByRole('log').getByRole('button', { name: /two\.log/ })).toBeVisible()
    // The page shows a message before the server has it.
    const received = async () => {
      const { messages } = await user.call<Conversation>('GET', `/user/tickets-v2/${no}/messages`)
      return messages.slice(1).flatMap(({ attachments }) => attachments.map(({ name }) => name))
    }
    await expect.poll(received).toEqual(['two.log'])
  })
})
