import type { SettingItem, SettingList } from '@/lib/api/gen/staff/types.gen'
import type { FormValues } from '../parts/resource-form'

export type Value = string | boolean

type ClassName = { class: number; name: string; names?: Record<string, string> | null }

/** A class's line: its number, its name, and the names of single languages where there are any. */
const lineOf = ({ class: number, name, names }: ClassName) =>
  [number, name, names?.['zh-CN'] ?? '', names?.en ?? ''].join(' | ').replace(/( \| )+$/, '')

const classOf = (line: string): ClassName => {
  const [number = '', name = '', zh, en] = line.split('|').map((part) => part.trim())
  return {
    class: Number(number),
    name,
    names: { ...(zh && { 'zh-CN': zh }), ...(en && { en }) },
  }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** A value as the form has it. */
export function inputOf(kind: SettingItem['kind'], value: unknown): Value {
  if (kind === 'switch') return value === true
  if (kind === 'class_names') return ((value ?? []) as ClassName[]).map(lineOf).join('\n')
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** What is no number stays a text, which the server refuses by the name of its setting. */
const numberOf = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : text)

/** A value of the form as the server takes it. */
export function valueOf(kind: SettingItem['kind'], input: Value): unknown {
  const text = String(input).trim()
  switch (kind) {
    case 'switch':
      return input === true
    case 'number':
      return numberOf(text)
    case 'texts':
    case 'amounts':
      return linesOf(text)
    case 'numbers':
      return linesOf(text).map(numberOf)
    case 'class_names':
      return linesOf(text).map(classOf)
    default:
      return text
  }
}

/** All that the form shows of the settings. */
export const formOf = ({ settings, secrets }: SettingList): FormValues => ({
  ...Object.fromEntries(settings.map(({ name, kind, value }) => [name, inputOf(kind, value)])),
  ...Object.fromEntries(
    secrets.flatMap(({ name }) => [
      [name, ''],
      [removalOf(name), false],
    ]),
  ),
  reason: '',
})

/** The switch that removes a secret. */
export const removalOf = (secret: string) => `${secret}:remove`

/** What is sent: settings that have their defaults again are reset, so that they follow those of later versions. */
export function changeOf(list: SettingList, values: FormValues, changed: readonly string[]) {
  const touched = list.settings.filter(({ name }) => changed.includes(name))
  const isDefault = ({ name, kind, default: usual }: SettingItem) =>
    inputOf(kind, usual) === values[name]
  const secrets = list.secrets.flatMap(({ name }) => {
    if (values[removalOf(name)] === true) return [[name, '']]
    return values[name] ? [[name, String(values[name])]] : []
  })
  const reason = String(values.reason ?? '').trim()
  return {
    values: Object.fromEntries(
      touched
        .filter((item) => !isDefault(item))
        .map(({ name, kind }) => [name, valueOf(kind, values[name] ?? '')]),
    ),
    reset: touched.filter(isDefault).map(({ name }) => name),
    secrets: Object.fromEntries(secrets) as Record<string, string>,
    ...(reason && { reason }),
  }
}

/** Whether anything of money or security is among the changes. */
export const isSensitive = (list: SettingList, changed: readonly string[]) =>
  list.settings.some((item) => item.is_sensitive && changed.includes(item.name)) ||
  list.secrets.some(({ name }) => changed.includes(name) || changed.includes(removalOf(name)))
