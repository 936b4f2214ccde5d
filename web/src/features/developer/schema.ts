import type { Contract, Schema } from './contract'

/** One line of a flattened schema, as `prices[].amount`. */
export type Field = {
  name: string
  type: string
  isRequired: boolean
  description: string
}

const DEEPEST = 4

/** Resolves a reference. */
export function resolve(contract: Contract, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return (name && contract.components.schemas[name]) || schema
}

/** The schema of what the answer's envelope carries. */
export function resultOf(contract: Contract, answer: Schema): Schema {
  const { result, result_list: list } = resolve(contract, answer).properties ?? {}
  return list ?? result ?? answer
}

/** The fields of a schema and of everything nested in it, flattened. */
export function fieldsOf(contract: Contract, schema: Schema, prefix = '', depth = 0): Field[] {
  const found = resolve(contract, schema)
  if (depth > DEEPEST) return []
  if (found.items) return fieldsOf(contract, found.items, `${prefix}[]`, depth)
  return Object.entries(found.properties ?? {}).flatMap(([key, part]) => {
    if (key === '$schema') return []
    const name = prefix ? `${prefix}.${key}` : key
    const inner = resolve(contract, part)
    return [
      {
        name,
        type: typeOf(contract, part),
        isRequired: found.required?.includes(key) ?? false,
        description: part.description ?? inner.description ?? '',
      },
      ...fieldsOf(contract, part, name, depth + 1),
    ]
  })
}

/** Names a type: "string", "integer | null", "string[]", "open | invite". */
export function typeOf(contract: Contract, schema: Schema): string {
  const found = resolve(contract, schema)
  if (found.enum) return found.enum.map(String).map(quoteEmpty).join(' | ')
  if (found.oneOf) return found.oneOf.map((one) => typeOf(contract, one)).join(' | ')
  if (found.items) return `${typeOf(contract, found.items)}[]`
  const types = [found.type ?? 'object'].flat()
  return types.map((type) => (found.format && type === 'string' ? found.format : type)).join(' | ')
}

const quoteEmpty = (value: string) => value || '""'

/** An example value that the schema allows. */
export function exampleOf(contract: Contract, schema: Schema, depth = 0): unknown {
  const found = resolve(contract, schema)
  const given = found.examples?.[0] ?? found.const ?? found.default ?? found.enum?.[0]
  if (given !== undefined) return given
  if (found.oneOf?.[0]) return exampleOf(contract, found.oneOf[0], depth)
  if (found.items) return depth > DEEPEST ? [] : [exampleOf(contract, found.items, depth + 1)]
  if (found.properties && depth <= DEEPEST) {
    const parts = Object.entries(found.properties).filter(([key]) => key !== '$schema')
    return Object.fromEntries(
      parts.map(([key, part]) => [key, exampleOf(contract, part, depth + 1)]),
    )
  }
  return scalarOf(found)
}

const strings: Record<string, string> = {
  'date-time': '2026-01-31T08:00:00Z',
  uuid: '0f8fad5b-d9cb-469f-a165-70867728950e',
  email: 'you@example.com',
}

function scalarOf({ type, format }: Schema): unknown {
  switch ([type ?? 'object'].flat()[0]) {
    case 'string':
      return strings[format ?? ''] ?? 'text'
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'array':
      return []
    default:
      return {}
  }
}
