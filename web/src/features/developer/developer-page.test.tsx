import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiToken } from '@/lib/api/gen/types.gen'
import { contract } from '@/test/contract'
import { inDays } from '@/test/fixtures'
import { failure, server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

const tokensCall = '*/api/v2/user/developer/tokens'
const secret = '7a1c2f9e-93a4-4c1e-9e55-3f1de90c0a11'

const token = (change: Partial<ApiToken> = {}): ApiToken => ({
  id: 1,
  name: 'backup',
  hint: '7a1c2f9e',
  scopes: ['read'],
  created_at: inDays(-3),
  expires_at: null,
  last_used_at: null,
  ...change,
})

let tokens: ApiToken[]
let needsCode: boolean

beforeEach(() => {
  tokens = [token()]
  needsCode = false
  server.use(
    http.get(tokensCall, () => success(tokens)),
    http.get('*/api/v2/user/get_me', () => success({ staff_role: '' })),
    http.get('*/api/v2/user/account/security', () => success({ ga_enable: needsCode })),
    http.get('*/api/v2/openapi.json', () => HttpResponse.json(contract)),
  )
})

async function openForm() {
  const { user } = await openSignedIn('/user/developer')
  await user.click(await screen.findByText('New token'))
  await screen.findByText('Create token')
  return user
}

const dialog = async () => within(await screen.findByRole('dialog'))

describe('API tokens', () => {
  it('are listed with scopes, end and last use', async () => {
    tokens = [
      token({ scopes: ['read', 'write'] }),
      token({ id: 2, name: 'old', expires_at: inDays(-1), last_used_at: inDays(-2) }),
    ]
    await openSignedIn('/user/developer')
    const backup = within(await screen.findByRole('row', { name: /backup/ }))
    expect(backup.getByText('7a1c2f9e…')).toBeVisible()
    expect(backup.getByText('Write')).toBeVisible()
    expect(backup.getAllByText('Never')).toHaveLength(2)
    const old = within(screen.getByRole('row', { name: /old/ }))
    expect(old.getByText(/Ended/)).toBeVisible()
    expect(old.queryByText('Never')).not.toBeInTheDocument()
    expect(document.title).toContain('Developer')
  })

  it('say what they are for while there is none', async () => {
    tokens = []
    await openSignedIn('/user/developer')
    expect(await screen.findByText(/no API token yet/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'New token' })).toBeVisible()
  })

  it('can be asked for again after a failure', async () => {
    server.use(
      http.get(tokensCall, () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
    )
    const { user } = await openSignedIn('/user/developer')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('backup')).toBeVisible()
  })

  it('are made with password and code, and the secret is not lost by closing once', async () => {
    needsCode = true
    let sent: { expires_at?: string } = {}
    server.use(
      http.post(tokensCall, async ({ request }) => {
        sent = (await request.json()) as typeof sent
        tokens = [token({ id: 3, name: 'robot' }), ...tokens]
        return success({ ...tokens[0], token: secret })
      }),
    )
    const user = await openForm()
    await user.type(screen.getByLabelText('Name'), 'robot')
    await user.click(screen.getByLabelText('Write'))
    await user.selectOptions(screen.getByLabelText('Good for'), '7 days')
    await user.type(screen.getByLabelText('Password'), 'my password')
    await user.type(screen.getByLabelText('Code'), '123456')

    expect(await screen.findByText(secret)).toBeVisible()
    expect(sent).toMatchObject({
      name: 'robot',
      scopes: ['read', 'write'],
      password: 'my password',
      ga_token: '123456',
    })
    expect(Date.parse(sent.expires_at ?? '') / 1000).toBeCloseTo(Date.parse(inDays(7)) / 1000, -2)
    expect(screen.getByLabelText('Copy the token')).toBeVisible()
    await user.keyboard('{Escape}')
    expect(await screen.findByText(/Did you keep it/)).toBeVisible()
    await user.click(screen.getByText('Go back'))
    expect(screen.getByText(secret)).toBeVisible()
    await user.click(screen.getByText('I have saved it'))
    await waitFor(() => expect(screen.queryByText(secret)).not.toBeInTheDocument())
    expect(await screen.findByText('robot')).toBeVisible()
  })

  describe('whose answer was lost', () => {
    const sent: { body: string; key: string | null }[] = []

    /** Loses the first answer, then gives `answer`. */
    function losing(answer: () => Response) {
      sent.splice(0)
      server.use(
        http.post(tokensCall, async ({ request }) => {
          sent.push({ body: await request.text(), key: request.headers.get('Idempotency-Key') })
          if (sent.length > 1) return answer()
          tokens = [token({ id: 3, name: 'robot' }), ...tokens]
          return HttpResponse.error()
        }),
      )
    }

    async function makeTwice() {
      const user = await openForm()
      await user.type(screen.getByLabelText('Name'), 'robot')
      await user.type(screen.getByLabelText('Password'), 'my password')
      await user.click(screen.getByText('Create token'))
      await screen.findByRole('alert')
      expect(await screen.findByText('robot')).toBeInTheDocument()
      await new Promise((later) => setTimeout(later, 5))
      await user.click(screen.getByText('Create token'))
      return user
    }

    it('are asked for again in the same words', async () => {
      losing(() => success({ ...tokens[0], token: secret }))
      await makeTwice()
      expect(await screen.findByText(secret)).toBeVisible()
      expect(sent).toHaveLength(2)
      expect(sent[1]).toEqual(sent[0])
    })

    it.each(['already_received', 'idempotency_key_reused'])(
      'are to be revoked where the secret is not told again (%s)',
      async (code) => {
        losing(() => failure(409, { message: 'Done already', code }))
        const user = await makeTwice()
        expect(await screen.findByText(/“robot” was made, but its secret/)).toBeVisible()
        await user.click(screen.getByText('Create token'))
        await waitFor(() => expect(sent).toHaveLength(3))
        expect(sent[2]?.key).not.toBe(sent[0]?.key)
      },
    )
  })

  it('need a name, and offer only what the user may give', async () => {
    const user = await openForm()
    await user.click(screen.getByText('Create token'))
    expect(await screen.findByText('Give it a name')).toBeVisible()
    expect(screen.queryByLabelText('Jobs')).not.toBeInTheDocument()
  })

  it('show what the server refuses at its field', async () => {
    const problem = { field: 'scopes', code: 'choice', message: 'Not yours to give' }
    server.use(
      http.get('*/api/v2/user/get_me', () => success({ staff_role: 'admin' })),
      http.post(tokensCall, () =>
        failure(422, { message: 'Wrong', code: 'invalid_input', errors: [problem] }),
      ),
    )
    const user = await openForm()
    await user.type(screen.getByLabelText('Name'), 'x')
    await user.click(await screen.findByLabelText('Jobs'))
    await user.type(screen.getByLabelText('Password'), 'my password')
    await user.click(screen.getByText('Create token'))
    expect(await screen.findByText('Not yours to give')).toBeVisible()
  })

  it('are revoked after a question', async () => {
    server.use(
      http.delete(`${tokensCall}/1`, () => {
        tokens = []
        return success({})
      }),
    )
    const { user } = await openSignedIn('/user/developer')
    await user.click(await screen.findByRole('button', { name: 'Revoke backup' }))
    await user.click((await dialog()).getByRole('button', { name: 'Revoke' }))
    expect(await screen.findByText(/no API token yet/)).toBeVisible()
  })
})

describe('samples', () => {
  it.each([
    ['zh-CN', '购买套餐'],
    ['en', 'Buy a plan'],
  ] as const)('describe the call in the language of the reader: %s', async (language, summary) => {
    await openSignedIn('/user/developer?tab=samples&op=order_buy', language)
    expect(await screen.findByText(summary)).toBeVisible()
  })

  it('follow the chosen call and language', async () => {
    const { user, router } = await openSignedIn('/user/developer?tab=samples')
    const call = await screen.findByLabelText('Call')
    await user.selectOptions(call, 'POST /api/v2/user/orders/{order_id}')
    expect(router.state.location.search).toMatchObject({ op: 'order_buy' })
    expect(screen.getByRole('region', { name: 'Code: curl' })).toHaveTextContent(/curl -X POST/)
    await user.click(screen.getByRole('radio', { name: 'Python' }))
    expect(screen.getByRole('region', { name: 'Code: Python' })).toHaveTextContent(
      /urllib\.request/,
    )
  })
})

describe('the reference', () => {
  it('is searched, and opens a call by keyboard', async () => {
    const { user, router } = await openSignedIn('/user/developer?tab=reference')
    const site = await screen.findByRole('button', { name: /What everybody may know/ })
    await user.type(screen.getByRole('searchbox'), 'buy')
    await waitFor(() => expect(site).not.toBeInTheDocument())
    screen.getByRole('button', { name: /Buy a plan/ }).focus()
    await user.keyboard('{Enter}')
    expect(await screen.findByText('Takes an API token with the scope write.')).toBeVisible()
    expect(screen.getByText('Which plan')).toBeVisible()
    expect(router.state.location.search).toMatchObject({ q: 'buy', op: 'order_buy' })
  })

  it.each([
    ['zh-CN', '购买套餐', 'Buy a plan'],
    ['en', 'Buy a plan', '购买套餐'],
  ] as const)('has summaries in the language of the reader: %s', async (language, own, other) => {
    await openSignedIn('/user/developer?tab=reference', language)
    expect(await screen.findByText(own)).toBeVisible()
    expect(screen.queryByText(other)).not.toBeInTheDocument()
  })

  it('opens the call of its address', async () => {
    await openSignedIn('/user/developer?tab=reference&op=site_get')
    expect(await screen.findByText('Open to everybody; needs no token.')).toBeVisible()
  })

  it.each([
    ['', 0],
    ['support', 1],
  ])('shows calls of staff to staff only (%s)', async (role, count) => {
    server.use(http.get('*/api/v2/user/get_me', () => success({ staff_role: role })))
    await openSignedIn('/user/developer?tab=reference')
    await screen.findByRole('button', { name: /Buy a plan/ })
    await waitFor(() => expect(screen.queryAllByText('All users')).toHaveLength(count))
  })

  it('says when nothing matches, and when the contract does not come', async () => {
    server.use(
      http.get('*/api/v2/openapi.json', () => failure(409, { message: 'Not now', code: 'busy' }), {
        once: true,
      }),
    )
    const { user } = await openSignedIn('/user/developer?tab=reference&q=zzz')
    expect(await screen.findByText('Not now')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(/No call matches/)).toBeVisible()
  })
})
