import { http, HttpResponse } from 'msw'
import { afterEach, expect, it, vi } from 'vitest'
import { staffAdjustmentMake } from '@/lib/api/gen/staff/sdk.gen'
import { failure, server, success } from '@/test/msw/server'
import './keyed-calls'

afterEach(() => {
  vi.useRealTimers()
})

const url = '*/api/v2/staff/wallet-adjustments'
const give = (amount: string) =>
  staffAdjustmentMake({ body: { user_id: 1, amount, reason: 'cut' }, throwOnError: true }).then(
    () => 'done',
    () => 'failed',
  )

it('sends what had no answer again with its key, and everything else with a new one', async () => {
  const keys: (string | null)[] = []
  const answers = [
    () => HttpResponse.error(),
    () => failure(503, { message: 'Unknown', code: 'outcome_unknown' }),
    () => success({}),
    () => success({}),
    () => failure(422, { message: 'No', code: 'invalid_input' }),
    () => success({}),
  ]
  server.use(
    http.post(url, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'))
      return answers[keys.length - 1]?.()
    }),
  )
  const said = []
  for (let i = 0; i < 6; i++) said.push(await give('1.11'))
  expect(said).toEqual(['failed', 'failed', 'done', 'done', 'failed', 'done'])
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).toBe(keys[0])
  expect(new Set(keys).size).toBe(4)
})

it('gives each of two different calls its own key', async () => {
  const keys = new Set<string | null>()
  server.use(
    http.post(url, ({ request }) => {
      keys.add(request.headers.get('Idempotency-Key'))
      return HttpResponse.error()
    }),
  )
  await give('1.00')
  await give('2.00')
  expect(keys.size).toBe(2)
})

it('takes the same call minutes later for another one', async () => {
  const keys: (string | null)[] = []
  server.use(
    http.post(url, ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'))
      return HttpResponse.error()
    }),
  )
  vi.useFakeTimers({ toFake: ['Date'] })
  await give('3.00')
  vi.setSystemTime(Date.now() + 60_000)
  await give('3.00')
  vi.setSystemTime(Date.now() + 3 * 60_000)
  await give('3.00')
  expect(keys[1]).toBe(keys[0])
  expect(keys[2]).not.toBe(keys[0])
})
