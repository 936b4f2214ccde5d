import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject } from 'ajv'
import { parse } from 'yaml'
import { expect, test } from '@playwright/test'

/*
 * The golden files of the server's tests, every protocol over every transport with every security, are validated against the
 * schema that mihomo's community publishes.
 */
const require = createRequire(import.meta.url)
const schema = require('meta-json-schema/schemas/meta-json-schema.json') as { $schema?: string }
const validate = new Ajv({ strict: false, allErrors: true }).compile({ ...schema, $schema: undefined })

const profile = (name: string) => readFileSync(new URL(`../../internal/link/format/testdata/${name}`, import.meta.url), 'utf8')

const messages = (errors: ErrorObject[] | null | undefined) => (errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`)

for (const name of ['clash-meta.yaml', 'clash.yaml']) {
  test(`${name} conforms to the published schema`, () => {
    const file = parse(profile(name)) as { proxies: object[] }
    expect(file.proxies.length).toBeGreaterThan(10)
    validate(file)
    expect(messages(validate.errors)).toEqual([])
  })
}

test('the server validates templates with the same schema', () => {
  expect(JSON.parse(profile('../mihomo/schema.json'))).toEqual(schema)
})

test('the schema rejects an invalid profile', () => {
  const file = parse(profile('clash-meta.yaml')) as { proxies: Record<string, unknown>[] }
  file.proxies[0]!.port = 'x'
  expect(validate(file)).toBe(false)
})
