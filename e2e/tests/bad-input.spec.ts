import { randomUUID } from 'node:crypto'
import { ApiUser } from '../harness/api-user.ts'
import { report, sendReport, sendToModMu, type Row } from '../harness/reports.ts'
import { expect, test as base } from '../harness/test.ts'

/** A user with a plan, and a valid row about them: 3000 bytes. */
const test = base.extend<{ apiUser: ApiUser; good: Row }>({
  apiUser: async ({ service }, use) => {
    const apiUser = await ApiUser.signUp(service.server.url)
    await apiUser.recharge('1.00')
    await apiUser.buy(await service.addPlan('--name', 'Bad input', '--quota-gb', '1', '--price', '1=1.00'))
    await use(apiUser)
  },
  good: async ({ apiUser }, use) => {
    const { user_id } = await apiUser.call<{ user_id: number }>('GET', '/user/get_me')
    await use({ user_id, up: 1000, down: 2000 })
  },
})

const tenMegabytes = 'x'.repeat(10 << 20)

test.describe('airstrip-node reports', () => {
  test('with a wrong secret', async ({ service, apiUser, good }) => {
    for (const secret of ['', 'wrong', service.agents[0]!.node.secret.slice(0, -1)]) {
      const { status, answer } = await sendReport(service.server.url, secret, report([good]))
      expect(status).toBe(401)
      expect(answer).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    }
    expect(await counted(apiUser)).toBe(0)
  })

  test('that cannot be decoded', async ({ service, apiUser, good }) => {
    const { secret } = service.agents[0]!.node
    const cases = [
      { what: 'ten megabytes', body: tenMegabytes, status: 413 },
      { what: 'broken JSON', body: report([good]).slice(0, -2), status: 422 },
      { what: 'no object', body: '[]', status: 422 },
      { what: 'text for a number', body: report([{ ...good, up: 'many' as unknown as number }]), status: 422 },
      { what: 'a fraction', body: report([{ ...good, up: 0.5 }]), status: 422 },
      { what: 'no boot', body: report([good], { boot: '' }), status: 422 },
      { what: 'more rows than allowed', body: report(Array.from({ length: 20_001 }, (_, i) => ({ ...good, user_id: i + 1 }))), status: 422 },
    ]
    for (const { what, body, status } of cases) {
      const got = await sendReport(service.server.url, secret, body)
      expect.soft(got.status, what).toBe(status)
      expect.soft(got.answer, what).toEqual(expect.objectContaining({ code: expect.any(String), message: expect.any(String) }))
    }
    const other = report([good])
    expect.soft((await sendReport(service.server.url, secret, other, Buffer.alloc(32).toString('base64'))).status, 'damaged on the way: to be sent again').toBe(400)
    expect(await counted(apiUser)).toBe(0)
  })

  test('with invalid rows: those are named, the others count', async ({ service, apiUser, good }) => {
    const { secret } = service.agents[0]!.node
    const wrong = async (row: Row) => (await sendReport(service.server.url, secret, report([row]))).answer.refused
    expect.soft(await wrong({ ...good, down: -1 })).toEqual([{ user_id: good.user_id, code: 'negative' }])
    expect.soft(await wrong({ ...good, down: 2 ** 52 })).toEqual([{ user_id: good.user_id, code: 'absurd' }])
    expect.soft(await wrong({ ...good, down: 2 ** 64 })).toEqual([{ user_id: good.user_id, code: 'absurd' }])
    expect(await counted(apiUser)).toBe(0)

    const { status, answer } = await sendReport(service.server.url, secret, report([{ user_id: 999_999_999, up: 1, down: 1 }, good, good]))
    expect(status).toBe(200)
    expect(answer).toMatchObject({ result: 'counted', refused: [{ user_id: 999_999_999, code: 'not_on_list' }, { user_id: good.user_id, code: 'duplicate_user' }] })
    expect(await counted(apiUser)).toBe(3000)
  })

  test('repeated, and with other content under the same number', async ({ service, apiUser, good }) => {
    const { secret } = service.agents[0]!.node
    const boot = randomUUID()
    const once = report([good], { boot })
    expect((await sendReport(service.server.url, secret, once)).answer.result).toBe('counted')
    expect((await sendReport(service.server.url, secret, once)).answer.result).toBe('already_counted')
    const { status, answer } = await sendReport(service.server.url, secret, report([{ ...good, up: 5 }], { boot }))
    expect([status, answer.code]).toEqual([409, 'batch_conflict'])
    const old = new Date(Date.now() - 31 * 24 * 3_600_000)
    const late = await sendReport(service.server.url, secret, report([good], { from: old, to: old }))
    expect([late.status, late.answer.code]).toEqual([410, 'batch_too_old'])
    expect(await counted(apiUser)).toBe(3000)
  })
})

test.describe('mod_mu reports', () => {
  const traffic = (rows: Row[]) => JSON.stringify({ data: rows.map(({ user_id, up, down }) => ({ user_id, u: up, d: down })) })

  test('with a wrong key', async ({ service, apiUser, good }) => {
    const { status, answer } = await sendToModMu(service.server.url, service.agents[0]!.node, traffic([good]), 'wrong')
    expect(status).toBe(401)
    expect(answer).toMatchObject({ ret: 0 })
    expect(await counted(apiUser)).toBe(0)
  })

  test("with another node's key", async ({ service, apiUser, good }) => {
    const [first, second] = service.agents.map(({ node }) => node)
    const { answer } = await sendToModMu(service.server.url, first!, traffic([good]), second!.secret)
    expect(answer).toMatchObject({ ret: 0 })
    expect(await counted(apiUser)).toBe(0)
  })

  test('that cannot be decoded', async ({ service, apiUser, good }) => {
    const node = service.agents[0]!.node
    for (const body of [tenMegabytes, traffic([good]).slice(0, -2), '{"data":"x"}', '{"data":[{"user_id":"x"}]}', '']) {
      const { answer } = await sendToModMu(service.server.url, node, body)
      expect.soft(answer, body.slice(0, 30)).toEqual({ ret: 0, data: expect.any(String) })
    }
    expect(await counted(apiUser)).toBe(0)
  })

  test('with invalid rows: the others count, and a repeated report counts once', async ({ service, apiUser, good }) => {
    const node = service.agents[0]!.node
    for (const row of [{ ...good, down: -1 }, { ...good, down: 2 ** 52 }, { ...good, user_id: 999_999_999 }]) {
      await sendToModMu(service.server.url, node, traffic([row]))
    }
    expect(await counted(apiUser)).toBe(0)
    const mixed = traffic([{ user_id: 999_999_999, up: 1, down: 1 }, good])
    for (let i = 0; i < 3; i++) { // Agents repeat a report whose answer was lost.
      expect((await sendToModMu(service.server.url, node, mixed)).answer.ret).toBe(1)
    }
    expect(await counted(apiUser)).toBe(3000)
  })
})

test('forged payment notifications credit nothing', async ({ service, apiUser }) => {
  const recharge = await apiUser.call<{ no: number; trade_no: string }>('POST', '/user/wallet/recharge', { amount: '50.00', gateway: 'sandbox' })
  const notice = { trade_no: recharge.trade_no, transaction_id: `SB${recharge.trade_no}`, amount: '50.00', currency: 'CNY', state: 'paid' }
  for (const sign of ['', '00', 'f'.repeat(64)]) {
    const answer = await fetch(`${service.server.url}/v1/payment/notify/sandbox`, { method: 'POST', body: new URLSearchParams({ ...notice, sign }) })
    expect.soft(answer.status, sign).toBeGreaterThanOrEqual(400)
    expect.soft(answer.status, sign).toBeLessThan(500)
  }
  expect(await apiUser.call('POST', `/user/wallet/recharge/${recharge.no}`)).toMatchObject({ is_finish: false, state: 'pending' })
})

async function counted(apiUser: ApiUser): Promise<number> {
  const { upload, download } = await apiUser.usage()
  return upload + download
}
