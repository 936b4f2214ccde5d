// Fails on texts that are missing, unused, or have no place in the source:
// both languages have the same keys and placeholders, every key is used, no Chinese stands in a .ts or .tsx file.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Texts = { [key: string]: string | Texts }

const src = new URL('../src/', import.meta.url).pathname
const SOURCE = 'zh-CN'
const PLURAL = /_(zero|one|two|few|many|other)$/

const problems: string[] = []
const languages = readdirSync(join(src, 'locales'))
// Under open/ are those that are one file of the build (src/locales/*/open.ts).
const files = readdirSync(join(src, 'locales', SOURCE), { recursive: true, encoding: 'utf8' })
const namespaces = files
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''))

function textsOf(language: string, namespace: string): Map<string, string> {
  const flat = new Map<string, string>()
  const visit = (texts: Texts, path: string) => {
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text === 'string') flat.set(path + key, text)
      else visit(text, `${path}${key}.`)
    }
  }
  const file = join(src, 'locales', language, `${namespace}.json`)
  visit(JSON.parse(readFileSync(file, 'utf8')) as Texts, '')
  return flat
}

const placeholders = (text: string) =>
  [...text.matchAll(/{{\s*(\w+)/g)]
    .map(([, name]) => name)
    .toSorted()
    .join()
const singular = (key: string) => key.replace(PLURAL, '')

function compare(namespace: string, language: string) {
  const source = textsOf(SOURCE, namespace)
  const other = textsOf(language, namespace)
  const sourceKeys = new Set([...source.keys()].map(singular))
  const otherKeys = new Set([...other.keys()].map(singular))
  for (const key of sourceKeys)
    if (!otherKeys.has(key)) problems.push(`${language}/${namespace}: ${key} is missing`)
  for (const key of otherKeys)
    if (!sourceKeys.has(key)) problems.push(`${language}/${namespace}: ${key} is not in ${SOURCE}`)
  for (const [key, text] of source) {
    const translated = other.get(key)
    if (translated !== undefined && placeholders(translated) !== placeholders(text)) {
      problems.push(`${language}/${namespace}: ${key} has other placeholders than ${SOURCE}`)
    }
  }
}

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$|^api\/gen\/|^test\//.test(file),
  )
  .map((file) => ({ file, code: readFileSync(join(src, file), 'utf8') }))
const code = sources.map((source) => source.code).join('\n')

/** Used as it stands, or through a template such as t(`scheme.${scheme}`). */
function isUsed(key: string): boolean {
  if (new RegExp(`['"\`]([\\w-]+:)?${key.replaceAll('.', '\\.')}['"\`]`).test(code)) return true
  const parts = key.split('.')
  return parts.some(
    (_, index) => index > 0 && code.includes(`\`${parts.slice(0, index).join('.')}.\${`),
  )
}

for (const namespace of namespaces) {
  for (const language of languages) if (language !== SOURCE) compare(namespace, language)
  const keys = new Set([...textsOf(SOURCE, namespace).keys()].map(singular))
  for (const key of keys) if (!isUsed(key)) problems.push(`${namespace}: ${key} is used nowhere`)
}

for (const { file, code: text } of sources) {
  // Comments may quote; a language's own name is written in that language.
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replaceAll(/'简体中文'/g, '')
  const literal = /\p{Script=Han}+/u.exec(bare)
  if (literal) problems.push(`${file}: "${literal[0]}" belongs into locales/`)
}

for (const problem of problems) console.error(problem)
console.log(
  `${namespaces.length} namespaces in ${languages.length} languages, ${problems.length} problems`,
)
process.exitCode = problems.length > 0 ? 1 : 0
