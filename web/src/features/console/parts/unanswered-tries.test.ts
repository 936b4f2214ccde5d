import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => {
  sessionStorage.clear()
})
afterEach(() => {
  vi.useRealTimers()
})

type Outcome = 'done' | 'lost' | 'refused' | 'offline'

/** A page as it is after a reload. Gives what sends a try and says what became of it. */
async function openPage() {
  vi.resetModules()
  const { sendTry } = await import('./unanswered-tries')
  const { ApiError } = await import('@/lib/api/errors')
  const failures = {
    lost: new ApiError('', { status: 0, code: 'network_error', attempt: 'keyed' }),
    refused: new ApiError('No', { status: 422, code: 'invalid_input', attempt: 'keyed' }),
    offline: new ApiError('', { status: 0, code: 'network_error' }),
  }
  return (values: object, outcome: Outcome, name = '/admin/users/9 adjust') =>
    sendTry(name, values, 'stopped', async () => {
      if (outcome !== 'done') throw failures[outcome]
      return 'done'
    }).catch(({ message, code }: Error & { code: string }) => message || code)
}

it('stops other values once after a try without an answer', async () => {
  const send = await openPage()
  expect(await send({ amount: '1.00' }, 'lost')).toBe('network_error')
  expect(await send({ amount: '2.00' }, 'done')).toBe('stopped')
  expect(await send({ amount: '2.00' }, 'done')).toBe('done')
  expect(await send({ amount: '3.00' }, 'done')).toBe('done')
})

it('lets the same values through, for as long as they have the same key', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const send = await openPage()
  await send({ amount: '1.00' }, 'lost')
  expect(await send({ amount: '1.00' }, 'lost')).toBe('network_error')
  vi.setSystemTime(Date.now() + 3 * 60_000)
  expect(await send({ amount: '1.00' }, 'done')).toBe('stopped')
})

it('stops the same values after a reload, and stores none', async () => {
  await (
    await openPage()
  )({ amount: '1.00', password: 'hunter2' }, 'lost')
  expect(JSON.stringify(Object.entries(sessionStorage))).not.toMatch(/1\.00|hunter2/)
  const send = await openPage()
  expect(await send({ amount: '1.00' }, 'done', '/admin/users/10 adjust')).toBe('done')
  expect(await send({ amount: '1.00' }, 'done')).toBe('stopped')
  expect(await send({ amount: '1.00' }, 'done')).toBe('done')
})

it('forgets it when a try is answered, and after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const send = await openPage()
  await send({ amount: '1.00' }, 'lost')
  await send({ amount: '1.00' }, 'refused')
  expect(await send({ amount: '2.00' }, 'lost')).toBe('network_error')
  vi.setSystemTime(Date.now() + 11 * 60_000)
  expect(await send({ amount: '3.00' }, 'done')).toBe('done')
})

it('remembers it past a try that did not leave the device', async () => {
  const send = await openPage()
  await send({ amount: '1.00' }, 'lost')
  await send({ amount: '1.00' }, 'offline')
  expect(await send({ amount: '2.00' }, 'done')).toBe('stopped')
})
