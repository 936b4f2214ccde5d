import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { queryClient } from '@/app/query-client'
import type { TicketConversation, TicketItem, TicketMessage } from '@/lib/api/gen/types.gen'
import { session } from '@/lib/session/current-session'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'
import { accessToken, someone } from '@/test/tokens'

const base = '*/api/v2/user/tickets-v2'

const ticket = (change: Partial<TicketItem> = {}): TicketItem => ({
  id: '0193e0a4-7c5b-7000-8000-000000000001',
  no: 7,
  created_at: '2026-01-30T04:00:00Z',
  updated_at: '2026-01-30T05:00:00Z',
  title: 'Cannot connect',
  ticket_status: 'processing',
  awaiting: 'user',
  category: 'connection',
  priority: 'normal',
  message_count: 2,
  unread: false,
  user_read_no: 0,
  merged_into: null,
  ...change,
})

const message = (no: number, content: string, by_staff = false): TicketMessage => ({
  id: `0193e0a4-7c5b-7000-8000-0000000001${String(no).padStart(2, '0')}`,
  no,
  created_at: '2026-01-30T04:00:00Z',
  updated_at: '2026-01-30T04:00:00Z',
  user_id: by_staff ? 0 : 1,
  by_staff,
  content,
  attachments: [],
})

const shows = (conversation: Partial<TicketConversation>) =>
  http.get(`${base}/7/messages`, () =>
    success({ ticket: ticket(), messages: [], has_more: false, ...conversation }),
  )

type Sent = { key: string | null; content: string }

/** Takes what is sent into `kept`, unless `refuse` answers it. */
const takes = (sent: Sent[], kept: TicketMessage[], refuse: () => Response | undefined) =>
  http.post(`${base}/7/messages`, async ({ request }) => {
    const { content } = (await request.json()) as { content: string }
    sent.push({ key: request.headers.get('Idempotency-Key'), content })
    const refused = refuse()
    if (refused) return refused
    kept.push(message(kept.length + 1, content))
    return success(kept.at(-1))
  })

const drafts = () => Object.keys(localStorage).filter((name) => name.startsWith('ticket-draft'))

beforeEach(() => {
  server.use(
    http.get(
      `${base}/changes`,
      () => new HttpResponse('', { headers: { 'Content-Type': 'text/event-stream' } }),
    ),
  )
})

describe('/user/tickets', () => {
  it('lists them with what is new', async () => {
    server.use(
      http.get(base, () =>
        success({
          total_count: 1,
          unread: 1,
          tickets: [
            {
              ...ticket({ unread: true }),
              content: 'first',
              message_data: [message(2, 'Please **update**', true)],
            },
          ],
        }),
      ),
    )
    await openSignedIn('/user/tickets')
    const link = await screen.findByRole('link', { name: /Cannot connect/ })
    expect(link).toHaveTextContent('New answer')
    expect(link).toHaveTextContent('Waiting for you')
    expect(link).toHaveTextContent('Support: Please update')
    expect(link).toHaveAttribute('href', '/user/tickets/view/7')
  })

  it('says that there are none, and what to do', async () => {
    server.use(http.get(base, () => success({ total_count: 0, unread: 0, tickets: [] })))
    await openSignedIn('/user/tickets')
    expect(await screen.findByText('You have no tickets yet.')).toBeVisible()
    expect(screen.getAllByRole('link', { name: 'New ticket' })[0]).toHaveAttribute(
      'href',
      '/user/tickets/new',
    )
  })

  it('says what went wrong', async () => {
    server.use(http.get(base, () => failure(400, { message: 'Not now', code: 'not_now' })))
    await openSignedIn('/user/tickets')
    expect(await screen.findByText('Not now')).toBeVisible()
  })
})

describe('/user/tickets/view/7', () => {
  it('shows the conversation and notes it as read', async () => {
    let read: unknown
    server.use(
      shows({
        ticket: ticket({ unread: true }),
        messages: [message(1, 'It **fails**'), message(2, '<b>Try</b> again', true)],
      }),
      http.post(`${base}/7/read`, async ({ request }) => {
        read = await request.json()
        return success({ unread: 0 })
      }),
    )
    await openSignedIn('/user/tickets/view/7')
    const log = await screen.findByRole('log')
    await waitFor(() => expect(within(log).getByText('fails').tagName).toBe('STRONG'))
    expect(log).toHaveTextContent('<b>Try</b> again')
    await waitFor(() => expect(read).toEqual({ up_to: 2 }))
  })

  it('shows a message at once, and sends one that failed again under its key', async () => {
    const kept = [message(1, 'first')]
    const sent: Sent[] = []
    let isDown = true
    server.use(
      http.get(`${base}/7/messages`, () =>
        success({ ticket: ticket(), messages: kept, has_more: false }),
      ),
      takes(sent, kept, () =>
        isDown ? failure(503, { message: 'Later', code: 'busy' }) : undefined,
      ),
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    const field = await screen.findByRole('textbox', { name: 'Write a message' })
    await user.type(field, 'hello there')
    await user.keyboard('{Control>}{Enter}{/Control}')
    expect(field).toHaveValue('')
    expect(await screen.findByText('hello there')).toBeVisible()
    expect(await screen.findByRole('alert')).toHaveTextContent('Later')
    isDown = false
    await user.click(screen.getByRole('button', { name: 'Send again' }))
    await waitFor(() => expect(screen.queryByText('No answer yet')).toBeNull())
    await waitFor(() => expect(screen.getAllByText('hello there')).toHaveLength(1))
    expect(sent.map(({ content }) => content)).toEqual(['hello there', 'hello there'])
    expect(sent[0]?.key).toBeTruthy()
    expect(sent[1]?.key).toBe(sent[0]?.key)
    expect(drafts()).toEqual([])
  })

  it('keeps what is being written, and what was not sent, over a reload', async () => {
    const sent: Sent[] = []
    server.use(
      shows({ messages: [message(1, 'first')] }),
      takes(sent, [], () => failure(503, { message: 'Later', code: 'busy' })),
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    await user.type(await screen.findByRole('textbox', { name: 'Write a message' }), 'lost?')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await screen.findByText('No answer yet')
    await user.type(screen.getByRole('textbox', { name: 'Write a message' }), 'a draft')

    document.body.replaceChildren()
    await openSignedIn('/user/tickets/view/7')
    expect(await screen.findByRole('textbox', { name: 'Write a message' })).toHaveValue('a draft')
    expect(screen.getByText('lost?')).toBeVisible()
    expect(screen.getByRole('alert')).toHaveTextContent('may have arrived')
  })

  it('says after a reload that what was refused was not sent', async () => {
    server.use(
      shows({ messages: [message(1, 'first')] }),
      takes([], [], () => failure(409, { message: 'It goes on elsewhere', code: 'ticket_merged' })),
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    await user.type(await screen.findByRole('textbox', { name: 'Write a message' }), 'refused')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await screen.findByText('Not sent')

    document.body.replaceChildren()
    await openSignedIn('/user/tickets/view/7')
    expect(await screen.findByRole('alert')).toHaveTextContent('It goes on elsewhere')
  })

  it('says after another sign-in that nothing was sent without one', async () => {
    const refuse = () => failure(401, { message: 'Sign in', code: 'unauthorized' })
    server.use(
      shows({ messages: [message(1, 'first')] }),
      takes([], [], refuse),
      http.post('*/api/v2/auth/jwt_token/jwt_access_refresh', refuse),
    )
    const { user, router } = await openSignedIn('/user/tickets/view/7')
    await user.type(await screen.findByRole('textbox', { name: 'Write a message' }), 'too late')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/sign-in'))

    document.body.replaceChildren()
    await openSignedIn('/user/tickets/view/7')
    expect(await screen.findByText('too late')).toBeVisible()
    expect(screen.getByRole('alert')).toHaveTextContent('this was not sent')
  })

  describe('a message whose answer is lost', () => {
    const kept: TicketMessage[] = []
    const sent: Sent[] = []
    const again = () => screen.queryByRole('button', { name: 'Send again' })
    const field = () => screen.findByRole('textbox', { name: 'Write a message' })

    /** The server keeps a message once per key where `isReached`, and its answers are lost while `isLosing`. */
    function conversation(isReached = true) {
      kept.splice(0, kept.length, message(1, 'lost?'), message(2, 'an answer', true))
      sent.splice(0)
      const control = { isLosing: true, isShown: false }
      server.use(
        http.get(`${base}/7/messages`, () =>
          success({
            ticket: ticket(),
            messages: control.isShown ? kept : kept.slice(0, 2),
            has_more: false,
          }),
        ),
        http.post(`${base}/7/messages`, async ({ request }) => {
          const { content } = (await request.json()) as { content: string }
          const key = request.headers.get('Idempotency-Key')
          const isRepeat = sent.some((one) => one.key === key)
          sent.push({ key, content })
          if (isReached && !isRepeat) kept.push(message(kept.length + 1, content))
          return control.isLosing ? HttpResponse.error() : success(kept.at(-1))
        }),
      )
      return control
    }

    async function sendLost(text: string) {
      const { user } = await openSignedIn('/user/tickets/view/7')
      await user.type(await field(), text)
      await user.click(screen.getByRole('button', { name: 'Send' }))
      await screen.findByRole('button', { name: 'Send again' })
      return user
    }

    it('is no longer called unsent once the conversation shows it', async () => {
      const control = conversation()
      await sendLost('lost?')
      expect(screen.queryByText('Not sent')).toBeNull()
      expect(screen.getAllByText('lost?')).toHaveLength(2)
      control.isShown = true
      await queryClient.invalidateQueries({ queryKey: ['ticket-conversation'] })
      await waitFor(() => expect(again()).toBeNull())
      expect(screen.getAllByText('lost?')).toHaveLength(2)
      expect(drafts()).toEqual([])
    })

    it('is found in the conversation after a reload', async () => {
      const control = conversation()
      await sendLost('lost?')
      control.isShown = true
      document.body.replaceChildren()
      await openSignedIn('/user/tickets/view/7')
      await waitFor(() => expect(screen.getAllByText('lost?')).toHaveLength(2))
      await waitFor(() => expect(again()).toBeNull())
      expect(drafts()).toEqual([])
    })

    it('stands for one of two that say the same', async () => {
      const control = conversation()
      const user = await sendLost('twice')
      await user.type(await field(), 'twice')
      await user.click(screen.getByRole('button', { name: 'Send' }))
      await waitFor(() => expect(screen.getAllByText('No answer yet')).toHaveLength(2))
      kept.pop()
      control.isShown = true
      await queryClient.invalidateQueries({ queryKey: ['ticket-conversation'] })
      await waitFor(() => expect(screen.getAllByText('No answer yet')).toHaveLength(1))
      expect(screen.getAllByText('twice')).toHaveLength(2)
    })

    it('does not arrive twice where its text is taken back and sent unchanged', async () => {
      const control = conversation()
      const user = await sendLost('lost')
      await user.click(screen.getByRole('button', { name: 'Edit' }))
      expect(await field()).toHaveValue('lost')
      expect(screen.getByText(/may have arrived already/)).toBeVisible()
      control.isLosing = false
      control.isShown = true
      await user.click(screen.getByRole('button', { name: 'Send' }))
      await waitFor(() => expect(sent).toHaveLength(2))
      expect(sent[1]).toEqual(sent[0])
      await waitFor(() => expect(screen.getAllByText('lost')).toHaveLength(1))
      expect(screen.queryByText(/may have arrived already/)).toBeNull()
    })

    it('is another message once its text is changed', async () => {
      const control = conversation(false)
      const user = await sendLost('lost')
      await user.click(screen.getByRole('button', { name: 'Edit' }))
      await user.type(await field(), ' and changed')
      control.isLosing = false
      await user.click(screen.getByRole('button', { name: 'Send' }))
      await waitFor(() => expect(sent).toHaveLength(2))
      expect(sent[1]?.content).toBe('lost and changed')
      expect(sent[1]?.key).not.toBe(sent[0]?.key)
    })
  })

  it('leads back to all tickets where there is no such one', async () => {
    server.use(
      http.get(`${base}/99999/messages`, () =>
        failure(404, { message: 'There is no such ticket', code: 'ticket_not_found' }),
      ),
    )
    await openSignedIn('/user/tickets/view/99999')
    expect(await screen.findByText('There is no such ticket.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'All tickets' })).toHaveAttribute(
      'href',
      '/user/tickets',
    )
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  it('loads earlier messages', async () => {
    server.use(
      http.get(`${base}/7/messages`, ({ request }) => {
        const before = Number(new URL(request.url).searchParams.get('before'))
        return success(
          before === 0
            ? { ticket: ticket(), messages: [message(5, 'newest')], has_more: true }
            : { ticket: ticket(), messages: [message(before - 1, 'oldest')], has_more: false },
        )
      }),
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    await user.click(await screen.findByRole('button', { name: 'Earlier messages' }))
    expect(await screen.findByText('oldest')).toBeVisible()
    expect(screen.getByText('newest')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Earlier messages' })).toBeNull()
  })

  it('is closed and opened again', async () => {
    let now = ticket()
    const asked: unknown[] = []
    server.use(
      http.get(`${base}/7/messages`, () => success({ ticket: now, messages: [], has_more: false })),
      http.put(`${base}/7/edit-status`, async ({ request }) => {
        const body = (await request.json()) as { status: string }
        asked.push(body)
        now = ticket({ ticket_status: body.status === 'closed' ? 'closed' : 'processing' })
        return success(now)
      }),
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    await user.click(await screen.findByRole('button', { name: 'Close ticket' }))
    expect(await screen.findByText(/This ticket is closed/)).toBeVisible()
    expect(screen.queryByRole('textbox', { name: 'Write a message' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Open again' }))
    expect(await screen.findByRole('textbox', { name: 'Write a message' })).toBeVisible()
    expect(asked).toEqual([{ status: 'closed' }, { status: 'open' }])
  })

  it('says what came of the last try alone', async () => {
    let now = ticket()
    const answers = [
      () => failure(409, { message: 'Not now', code: 'busy' }),
      () => failure(409, { message: 'Not later', code: 'busy' }),
      () => success((now = ticket({ ticket_status: 'closed' }))),
    ]
    server.use(
      http.get(`${base}/7/messages`, () => success({ ticket: now, messages: [], has_more: false })),
      http.put(`${base}/7/edit-status`, () => answers.shift()?.()),
    )
    const { user } = await openSignedIn('/user/tickets/view/7')
    const close = await screen.findByRole('button', { name: 'Close ticket' })
    await user.click(close)
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(close)
    expect(await screen.findByText('Not later')).toBeVisible()
    await waitFor(() => expect(screen.queryByText('Not now')).toBeNull())
    await user.click(close)
    await screen.findByRole('button', { name: 'Open again' })
    await waitFor(() => expect(screen.queryByText('Not later')).toBeNull())
  })

  it('leads from one that was merged to where it goes on', async () => {
    server.use(shows({ ticket: ticket({ merged_into: 9, ticket_status: 'closed' }) }))
    await openSignedIn('/user/tickets/view/7')
    expect(await screen.findByRole('link', { name: 'Go to ticket #9' })).toHaveAttribute(
      'href',
      '/user/tickets/view/9',
    )
  })

  it('shows an answer that comes while it is open', async () => {
    const kept = [message(1, 'first')]
    let tell: (text: string) => void = () => undefined
    server.use(
      http.get(`${base}/7/messages`, () =>
        success({ ticket: ticket(), messages: kept, has_more: false }),
      ),
      http.get(`${base}/changes`, () => {
        const stream = new ReadableStream<Uint8Array>({
          start(controller) {
            tell = (text) => controller.enqueue(new TextEncoder().encode(text))
          },
        })
        return new HttpResponse(stream, { headers: { 'Content-Type': 'text/event-stream' } })
      }),
    )
    await openSignedIn('/user/tickets/view/7')
    await screen.findByText('first')
    kept.push(message(2, 'the answer', true))
    await waitFor(() => {
      tell('event: change\ndata: {"unread":1}\n\n')
      expect(screen.getByText('the answer')).toBeVisible()
    })
  })
})

describe('/user/tickets/new', () => {
  it('keeps what is written and opens the ticket', async () => {
    let body: unknown
    server.use(
      http.post(base, async ({ request }) => {
        body = await request.json()
        return success(ticket())
      }),
      shows({ messages: [message(1, 'It fails')] }),
    )
    const { user } = await openSignedIn('/user/tickets/new')
    await user.click(await screen.findByRole('button', { name: 'Open the ticket' }))
    expect(await screen.findAllByText('Please fill this in')).toHaveLength(2)
    await user.type(screen.getByRole('textbox', { name: 'Subject' }), 'Cannot connect')
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'It fails')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Category' }), 'connection')

    document.body.replaceChildren()
    const again = await openSignedIn('/user/tickets/new')
    expect(await screen.findByRole('textbox', { name: 'Subject' })).toHaveValue('Cannot connect')
    await again.user.click(screen.getByRole('button', { name: 'Open the ticket' }))
    await waitFor(() => expect(again.router.state.location.pathname).toBe('/user/tickets/view/7'))
    expect(body).toEqual({
      attachments: [],
      title: 'Cannot connect',
      content: 'It fails',
      category: 'connection',
    })
    expect(drafts()).toEqual([])
  })

  it('leads to the ticket that was opened with another text, whose answer was lost', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.get(base, () => success({ total_count: 0, unread: 0, tickets: [] })),
      http.post(base, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return keys.length === 1
          ? HttpResponse.error()
          : failure(422, { message: 'It was sent before', code: 'idempotency_key_reused' })
      }),
    )
    const { user, router } = await openSignedIn('/user/tickets/new')
    await user.type(await screen.findByRole('textbox', { name: 'Subject' }), 'Cannot connect')
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'It fails')
    await user.click(screen.getByRole('button', { name: 'Open the ticket' }))
    expect(await screen.findByRole('alert')).toBeVisible()
    expect(screen.queryByRole('link', { name: 'All tickets' })).not.toBeInTheDocument()

    await user.type(screen.getByRole('textbox', { name: 'Message' }), ' again')
    await user.click(screen.getByRole('button', { name: 'Open the ticket' }))
    expect(await screen.findByText('It was sent before')).toBeVisible()
    expect(keys[1]).toBe(keys[0])
    await user.click(screen.getByRole('link', { name: 'All tickets' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/user/tickets'))
  })

  it('keeps nothing of what staff writes while they see the site as the user', async () => {
    const { user, router } = await openSignedIn('/about')
    const visit = accessToken({ subject_access: { ...someone, by_staff: true } })
    session.signIn({ access_token: visit, refresh_token: null })
    await router.navigate({ href: '/user/tickets/new' })
    const subject = await screen.findByRole('textbox', { name: 'Subject' })
    await user.type(subject, 'Of staff')
    expect(subject).toHaveValue('Of staff')
    expect(drafts()).toEqual([])
  })
})
