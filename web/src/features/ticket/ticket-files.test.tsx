import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Attachment, TicketMessage } from '@/lib/api/gen/types.gen'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const base = '*/api/v2/user/tickets-v2'
const files = '*/api/v2/user/ticket-attachments/:id'

const attachment = (id: string, name: string): Attachment => ({
  id,
  name,
  created_at: '2026-01-30T04:00:00Z',
  media_type: name.endsWith('.png') ? 'image/png' : 'text/plain',
  size: 2048,
  width: name.endsWith('.png') ? 640 : 0,
  height: name.endsWith('.png') ? 480 : 0,
})

const message = (change: Partial<TicketMessage>): TicketMessage => ({
  id: '0193e0a4-7c5b-7000-8000-000000000101',
  no: 1,
  created_at: '2026-01-30T04:00:00Z',
  updated_at: '2026-01-30T04:00:00Z',
  user_id: 1,
  by_staff: false,
  content: 'It fails',
  attachments: [],
  ...change,
})

const picture = () => new File(['a picture'], 'screen.png', { type: 'image/png' })
const log = () => new File(['a log'], 'client.log', { type: 'text/plain' })

/** A ticket with these messages, which takes what is sent. */
function conversation(messages: TicketMessage[]) {
  const sent: { content: string; attachments: string[] }[] = []
  server.use(
    http.get(`${base}/7/messages`, () =>
      success({
        ticket: {
          id: '0193e0a4-7c5b-7000-8000-000000000001',
          no: 7,
          created_at: '2026-01-30T04:00:00Z',
          updated_at: '2026-01-30T05:00:00Z',
          title: 'Cannot connect',
          ticket_status: 'processing',
          awaiting: 'staff',
          category: 'connection',
          priority: 'normal',
          message_count: 1,
          unread: false,
          user_read_no: 1,
          merged_into: null,
        },
        messages,
        has_more: false,
      }),
    ),
    http.post(`${base}/7/messages`, async ({ request }) => {
      sent.push((await request.json()) as (typeof sent)[number])
      return success(message({ no: 2 }))
    }),
  )
  return sent
}

/** Keeps uploads, after answering each with what `refuse` says. */
function takesUploads(refuse: () => Response | undefined = () => undefined) {
  const kept = new Map<string, string>()
  const removed: string[] = []
  server.use(
    http.put(files, async ({ request, params }) => {
      const refused = refuse()
      if (refused) return refused
      const name = new URL(request.url).searchParams.get('name') ?? ''
      expect(request.headers.get('Authorization')).toMatch(/^Bearer /)
      kept.set(String(params.id), name)
      return success(attachment(String(params.id), name))
    }),
    http.delete(files, ({ params }) => {
      removed.push(String(params.id))
      return success({})
    }),
  )
  return { kept, removed }
}

const paste = (onto: Element, pasted: File[], types = ['Files']) =>
  fireEvent.paste(onto, { clipboardData: { files: pasted, types } })

const chosen = () => screen.getByRole('list', { name: 'Files to send' })

beforeEach(() => {
  server.use(
    http.get(
      `${base}/changes`,
      () => new HttpResponse('', { headers: { 'Content-Type': 'text/event-stream' } }),
    ),
  )
})

describe('files of a ticket', () => {
  it('are picked, pasted and dropped, survive a reload, and go with the message', async () => {
    const sent = conversation([])
    const { kept } = takesUploads()
    const first = await openSignedIn('/user/tickets/view/7')
    const field = await screen.findByLabelText('Write a message')
    await first.user.upload(screen.getByLabelText('Add files', { selector: 'input' }), log())
    await waitFor(() => expect(within(chosen()).getByText('client.log')).toBeVisible())
    paste(field, [picture()])
    await waitFor(() => expect(within(chosen()).getByText('screen.png')).toBeVisible())
    fireEvent.drop(screen.getByRole('log'), {
      dataTransfer: { files: [picture()], types: ['Files'] },
    })
    await waitFor(() => expect(kept.size).toBe(3))
    await waitFor(() => expect(screen.queryByRole('progressbar')).not.toBeInTheDocument())
    document.body.replaceChildren()

    const again = await openSignedIn('/user/tickets/view/7')
    expect(
      within(await screen.findByRole('list', { name: 'Files to send' })).getAllByRole('listitem'),
    ).toHaveLength(3)
    await again.user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(sent).toEqual([{ content: '', attachments: [...kept.keys()] }]))
    await waitFor(() =>
      expect(screen.queryByRole('list', { name: 'Files to send' })).not.toBeInTheDocument(),
    )
  })

  it('leave text that is pasted with a picture of it alone', async () => {
    conversation([])
    const { kept } = takesUploads()
    await openSignedIn('/user/tickets/view/7')
    paste(await screen.findByLabelText('Write a message'), [picture()], ['text/plain', 'Files'])
    expect(screen.queryByRole('list', { name: 'Files to send' })).not.toBeInTheDocument()
    expect(kept.size).toBe(0)
  })

  it('that were refused say why, and are uploaded again or removed', async () => {
    conversation([])
    let isRefused = true
    const { kept, removed } = takesUploads(() =>
      isRefused
        ? failure(409, { code: 'attachment_quota', message: 'There is no room' })
        : undefined,
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    await user.upload(await screen.findByLabelText('Add files', { selector: 'input' }), [
      log(),
      picture(),
    ])
    expect(await screen.findAllByText('There is no room')).toHaveLength(2)
    isRefused = false
    await user.click(screen.getByRole('button', { name: 'Upload client.log again' }))
    await waitFor(() => expect([...kept.values()]).toEqual(['client.log']))
    await waitFor(() => expect(screen.getAllByText('There is no room')).toHaveLength(1))
    await user.click(screen.getByRole('button', { name: 'Remove screen.png' }))
    await user.click(screen.getByRole('button', { name: 'Remove client.log' }))
    await waitFor(() => expect(removed).toHaveLength(2))
    expect(screen.queryByRole('list', { name: 'Files to send' })).not.toBeInTheDocument()
  })

  it('that were still being uploaded are not spoken of any more once the ticket is open', async () => {
    conversation([])
    let finish = () => {}
    const isFinished = new Promise<void>((resolve) => {
      finish = resolve
    })
    server.use(
      http.put(files, async ({ params }) => {
        await isFinished
        return success(attachment(String(params.id), 'client.log'))
      }),
      http.post(base, () => success({ no: 7 })),
    )
    const { router, user } = await openSignedIn('/user/tickets/new')
    await user.type(await screen.findByRole('textbox', { name: 'Subject' }), 'Cannot connect')
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'It fails')
    await user.upload(screen.getByLabelText('Add files', { selector: 'input' }), log())
    await user.click(screen.getByRole('button', { name: 'Open the ticket' }))
    expect(await screen.findByText('Some files are still being uploaded.')).toBeVisible()
    finish()
    await waitFor(() => expect(screen.queryByRole('progressbar')).not.toBeInTheDocument())
    await user.click(screen.getByRole('button', { name: 'Open the ticket' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/tickets/view/7'))
    await waitFor(() =>
      expect(screen.queryByText('Some files are still being uploaded.')).not.toBeInTheDocument(),
    )
  })

  it('are limited in number and size', async () => {
    conversation([])
    const { kept } = takesUploads()
    const { user } = await openSignedIn('/user/tickets/view/7')
    const input = await screen.findByLabelText('Add files', { selector: 'input' })
    const large = new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'large.log', {
      type: 'text/plain',
    })
    await user.upload(input, [large, ...Array.from({ length: 6 }, log)])
    expect(await screen.findByText('large.log is empty or larger than 5 MB')).toBeVisible()
    expect(await screen.findByText('A message has at most 5 files')).toBeVisible()
    await waitFor(() => expect(kept.size).toBe(5))
    expect(screen.getByRole('button', { name: 'Add files' })).toBeDisabled()
  })

  it('are shown and saved', async () => {
    const addresses: Blob[] = []
    vi.stubGlobal(
      'URL',
      Object.assign(class extends URL {}, {
        createObjectURL: (blob: Blob) => `blob:${addresses.push(blob)}`,
        revokeObjectURL: () => undefined,
      }),
    )
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    server.use(
      http.get(files, () => HttpResponse.arrayBuffer(new TextEncoder().encode('<svg>').buffer)),
    )
    conversation([
      message({ attachments: [attachment('a', 'screen.png'), attachment('b', 'page.html.txt')] }),
    ])
    const { user } = await openSignedIn('/user/tickets/view/7')
    const open = await screen.findByRole('button', { name: 'Show screen.png' })
    await waitFor(() => expect(addresses[0]?.type).toBe('image/png'))
    await user.click(open)
    const dialog = await screen.findByRole('dialog', { name: 'screen.png' })
    expect(within(dialog).getByRole('img', { name: 'screen.png' })).toBeVisible()
    await user.click(within(dialog).getByRole('button', { name: 'Download' }))
    await waitFor(() => expect(click).toHaveBeenCalledOnce())
    await user.keyboard('{Escape}')
    await user.click(screen.getByRole('button', { name: /page\.html\.txt/ }))
    await waitFor(() => expect(addresses.at(-1)?.type).toBe('text/plain'))
    vi.unstubAllGlobals()
  })
})
