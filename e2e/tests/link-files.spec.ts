import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject } from 'ajv'
import { parse } from 'yaml'
import { expect, test } from '@playwright/test'

/*
 * The files that the server's tests compare theirs with, every protocol over every transport with every security, held
 * against the schema that mihomo's own community publishes.
 */
const require = createRequire(import.meta.url)
const schema = require('meta-json-schema/schemas/meta-json-schema.json') as { $schema?: string }
const validate = new Ajv({ strict: false, allErrors: true }).compile({ ...schema, $schema: undefined })

const profile = (name: string) => readFileSync(new URL(`../../internal/link/format/testdata/${name}`, import.meta.url), 'utf8')

const told = (errors: ErrorObject[] | null | undefined) => (errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`)

for (const name of ['clash-meta.yaml', 'clash.yaml']) {
  test(`${name} is as the published schema wants it`, () => {
    const file = parse(profile(name)) as { proxies: object[] }
    expect(file.proxies.length).toBeGreaterThan(10)
    validate(file)
    expect(told(validate.errors)).toEqual([])
  })
}

test('the server tries templates with the same schema', () => {
  expect(JSON.parse(profile('../mihomo/schema.json'))).toEqual(schema)
})

test('the schema refuses a profile that is not one', () => {
  const file = parse(profile('clash-meta.yaml')) as { proxies: Record<string, unknown>[] }
  file.proxies[0]!.port = 'x'
  expect(validate(file)).toBe(false)
})
