import { readFileSync } from 'node:fs'
import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { inDays, wallet } from '@/test/fixtures'
import { server, success } from '@/test/msw/server'
import { openSignedIn } from '@/test/render'

type Contract = {
  components: {
    schemas: { MovementItem: { properties: { reason: { enum: string[] } } } }
  }
}

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

const contract = read('../../../../openapi.json') as Contract
const reasons = contract.components.schemas.MovementItem.properties.reason.enum

const namesIn = (language: string) =>
  (read(`../../locales/${language}/wallet.json`) as { reason: Record<string, string> }).reason

it.each(['zh-CN', 'en'])(
  'names every kind of movement of the contract in %s, each once',
  (lang) => {
    const names = namesIn(lang)
    expect(Object.keys(names).toSorted()).toEqual(reasons.toSorted())
    expect(new Set(Object.values(names)).size).toBe(reasons.length)
  },
)

it('offers one filter for each kind, called as the movements themselves are', async () => {
  server.use(
    http.get('*/api/v2/user/wallet', () => success(wallet())),
    http.get('*/api/v2/user/wallet/movements', ({ request }) => {
      const asked = new URL(request.url).searchParams.get('reason')
      const movements = reasons
        .filter((reason) => asked === null || reason === asked)
        .map((reason, id) => ({
          id,
          created_at: inDays(-id),
          reason,
          text: 'In the words of the server',
          note: '',
          amount: '1.00',
          balance_after: '1.00',
          reference: { kind: 'order', no: id },
        }))
      return success({ movements, total_count: movements.length, page: 1, size: 15 })
    }),
  )
  const { user } = await openSignedIn('/user/wallet')
  const filter = await screen.findByRole('combobox', { name: 'Filter by kind' })
  const options = within(filter).getAllByRole<HTMLOptionElement>('option')
  expect(options.map(({ value }) => value).toSorted()).toEqual(['', ...reasons].toSorted())
  for (const { value, text } of options.slice(1)) {
    await user.selectOptions(filter, value)
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(2))
    expect(screen.getAllByRole('cell')[0]).toHaveTextContent(text)
  }
})
