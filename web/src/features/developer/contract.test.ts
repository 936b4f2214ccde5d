import { describe, expect, it } from 'vitest'
import { contract } from '@/test/contract'
import { readFileSync } from 'node:fs'
import en from '@/locales/en/developer.json'
import zh from '@/locales/zh-CN/developer.json'
import { type Contract, isStaffs, operationsOf, searchGroups } from './contract'
import { sampleOf } from './samples'
import { exampleOf, fieldsOf, resultOf, typeOf } from './schema'

const operations = operationsOf(contract)
const byId = (id: string) => {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`no ${id}`)
  return found
}
const sample = (language: Parameters<typeof sampleOf>[0], id: string) =>
  sampleOf(language, { contract, operation: byId(id), site: 'https://fast.example.com' })

describe('the operations of a contract', () => {
  it('say who may call them', () => {
    expect(byId('site_get')).toMatchObject({ needsSignIn: false, scope: undefined })
    expect(byId('order_buy')).toMatchObject({ method: 'POST', needsSignIn: true, scope: 'write' })
  })

  it('are found by all words of a search, and grouped by what they are about', () => {
    const found = searchGroups(operations, 'POST order')
    expect(found).toEqual([{ name: 'orders', operations: [byId('order_buy')] }])
    expect(searchGroups(operations, 'nothing of the kind')).toEqual([])
    expect(searchGroups(operations, '').map(({ name }) => name)).toEqual([
      'site',
      'staff/users',
      'orders',
    ])
  })
})

describe('the server’s own contract', () => {
  const file = new URL('../../../../openapi.json', `file://${import.meta.dirname}/`)
  const all = operationsOf(JSON.parse(readFileSync(file, 'utf8')) as Contract)

  it('has a summary and a topic in both languages for every call of users', () => {
    const ofUsers = all.filter(({ group }) => !isStaffs(group))
    expect(ofUsers.length).toBeGreaterThan(100)
    const isChinese = (text: string) => /\p{Script=Han}/u.test(text)
    const lacking = ofUsers.filter(
      ({ summary, group }) =>
        !/^[A-Z]/.test(summary.en) ||
        isChinese(summary.en) ||
        !isChinese(summary['zh-CN']) ||
        group === 'other' ||
        !Object.keys(en.reference.topic).includes(group) ||
        !Object.keys(zh.reference.topic).includes(group),
    )
    expect(lacking.map(({ id }) => id)).toEqual([])
  })

  it('is searched in both languages', () => {
    const found = searchGroups(all, '兑换卡密').flatMap(({ operations: some }) => some)
    expect(found.map(({ id }) => id)).toContain('cd_key_redeem')
  })
})

describe('schemas', () => {
  const { body, answer } = byId('order_buy')

  it('are written out field by field', () => {
    expect(fieldsOf(contract, body ?? {})).toEqual([
      { name: 'plan', type: 'integer', isRequired: true, description: 'Which plan' },
      { name: 'tags', type: 'string[]', isRequired: false, description: '' },
      { name: 'mode', type: 'open | ""', isRequired: false, description: '' },
    ])
    expect(fieldsOf(contract, resultOf(contract, answer ?? {})).map(({ name }) => name)).toEqual([
      '[].id',
      '[].next',
      '[].next.id',
      '[].next.next',
      '[].next.next.id',
      '[].next.next.next',
      '[].next.next.next.id',
      '[].next.next.next.next',
      '[].next.next.next.next.id',
      '[].next.next.next.next.next',
    ])
    expect(typeOf(contract, { type: ['string', 'null'], format: 'date-time' })).toBe(
      'date-time | null',
    )
  })

  it('have an example, even those that hold themselves', () => {
    expect(exampleOf(contract, body ?? {})).toEqual({ plan: 7, tags: ['text'], mode: 'open' })
    expect(JSON.stringify(exampleOf(contract, answer ?? {}))).toContain('"id":"0f8fad5b')
  })
})

describe('samples', () => {
  it('call this site, with the token where one is needed', () => {
    expect(sample('curl', 'site_get')).toBe("curl 'https://fast.example.com/api/v2/site'")
    for (const language of ['curl', 'javascript', 'python', 'go'] as const) {
      const text = sample(language, 'order_buy')
      expect(text).toContain('https://fast.example.com/api/v2/user/orders/1')
      expect(text).toContain('AIRSTRIP_TOKEN')
      expect(text).toContain('"plan": 7')
      expect(sample(language, 'site_get')).not.toContain('AIRSTRIP_TOKEN')
    }
  })

  it('import in Go what they use, and nothing else', () => {
    expect(sample('go', 'site_get')).not.toMatch(/"os"|"strings"/)
    expect(sample('go', 'order_buy')).toMatch(/"os"\n\t"strings"/)
  })
})
