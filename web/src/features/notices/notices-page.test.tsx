import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it } from 'vitest'
import type { NoticeChannel, NoticesBody, NoticesResult } from '@/lib/api/gen/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const api = '*/api/v2/user/notices'
const page = '/user/account/notices'

const notices = (change: Partial<NoticesResult> = {}): NoticesResult => ({
  email: 'ming@example.com',
  telegram: 'linked',
  events: [
    {
      event: 'security',
      channels: [
        { channel: 'mail', is_wanted: true, is_mandatory: true },
        { channel: 'telegram', is_wanted: true, is_mandatory: false },
      ],
    },
    {
      event: 'ticket',
      channels: [
        { channel: 'mail', is_wanted: true, is_mandatory: false },
        { channel: 'telegram', is_wanted: false, is_mandatory: false },
      ],
    },
  ],
  ...change,
})

let here: NoticesResult

beforeEach(() => {
  here = notices()
  server.use(
    http.get(api, () => success(here)),
    http.get('*/api/v2/user/account/push', () =>
      success({ public_key: 'AQID', max_devices: 10, devices: [] }),
    ),
  )
})

const on = (each: NoticeChannel): NoticeChannel => ({ ...each, is_wanted: true })

const box = (name: string) => screen.findByRole('checkbox', { name })

it('shows who is notified of what, and what cannot be turned off', async () => {
  await openSignedIn(page)
  expect(await box('Account security: Mail')).toBeDisabled()
  expect(await box('Account security: Mail')).toBeChecked()
  expect(await box('Ticket answers: Mail')).toBeChecked()
  expect(await box('Ticket answers: Telegram')).not.toBeChecked()
  expect(screen.getByText('ming@example.com')).toBeVisible()
})

it('stores a choice, and shows it before the server has answered', async () => {
  const sent: NoticesBody[] = []
  server.use(
    http.put<never, NoticesBody>(api, async ({ request }) => {
      sent.push(await request.json())
      here = notices({
        events: here.events.map((row) => ({ ...row, channels: row.channels.map(on) })),
      })
      return success(here)
    }),
  )
  const { user } = await openSignedIn(page)
  await user.click(await box('Ticket answers: Telegram'))
  expect(await box('Ticket answers: Telegram')).toBeChecked()
  await waitFor(() =>
    expect(sent).toEqual([
      { choices: [{ event: 'ticket', channel: 'telegram', is_wanted: true }] },
    ]),
  )
})

it('takes back what the server refuses, and says why', async () => {
  server.use(
    http.put(api, () =>
      failure(409, { code: 'notice_mandatory', message: 'It cannot be turned off' }),
    ),
  )
  const { user } = await openSignedIn(page)
  await user.click(await box('Ticket answers: Mail'))
  expect(await screen.findByText(/It cannot be turned off/)).toBeVisible()
  await waitFor(async () => expect(await box('Ticket answers: Mail')).toBeChecked())
})

it('sends a test', async () => {
  const sent: unknown[] = []
  server.use(
    http.post(`${api}/test`, async ({ request }) => {
      sent.push(await request.json())
      return success({})
    }),
  )
  const { user } = await openSignedIn(page)
  await user.click(await screen.findByRole('button', { name: 'Send a test (Telegram)' }))
  expect(await screen.findByText('The test notice is on its way')).toBeVisible()
  expect(sent).toEqual([{ channel: 'telegram' }])
})

it('leads to the link where Telegram is not linked', async () => {
  here = notices({ telegram: 'unlinked' })
  await openSignedIn(page)
  const how = within(await screen.findByRole('region', { name: 'How' }))
  expect(how.getByText('Not linked')).toBeVisible()
  expect(how.getByRole('link', { name: 'Link' })).toHaveAttribute('href', '/user/account/security')
  expect(screen.queryByRole('button', { name: 'Send a test (Telegram)' })).toBeNull()
})

it('does not speak of Telegram where the site has no bot', async () => {
  here = notices({ telegram: 'off' })
  await openSignedIn(page)
  await box('Ticket answers: Mail')
  expect(screen.queryByText('Telegram')).toBeNull()
  expect(screen.queryByRole('checkbox', { name: 'Ticket answers: Telegram' })).toBeNull()
})

it('says what went wrong and tries again', async () => {
  server.use(http.get(api, () => failure(500, { code: 'internal', message: 'Something broke' })))
  const { user } = await openSignedIn(page)
  expect(await screen.findByText(/Something broke/)).toBeVisible()
  server.use(http.get(api, () => success(here)))
  await user.click(screen.getByRole('button', { name: /again/i }))
  expect(await box('Ticket answers: Mail')).toBeVisible()
})
