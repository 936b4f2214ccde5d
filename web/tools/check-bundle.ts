// Prints what each page loads (gzip, kB = 1000 bytes), the biggest of it, and fails when one is over its budget.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

type Chunk = { file: string; name?: string; isEntry?: boolean; imports?: string[]; css?: string[] }
type Need = {
  route: string
  path: string
  except: string[]
  files: string[]
  texts: Record<string, string[]>
}
type Budget = { js: number; css: number; files: number }

const dist = new URL('../dist/', import.meta.url)
const read = (file: string) => JSON.parse(readFileSync(new URL(file, dist), 'utf8')) as unknown
const manifest = read('.vite/manifest.json') as Record<string, Chunk>
/** What each address needs beside the entry, as the server links it (preload-routes.ts). */
const needs = read('.vite/preloads.json') as Need[]

// Requests before the largest paint are to be 25 at most: the document and the calls of the API come on top.
const FILES = 20
const OPEN_PAGE = { js: 200, css: 20, files: 14 }
const HOME = { js: 211, css: 30, files: FILES }
const USER_PAGE = { js: 256, css: 30, files: FILES }
const CHART_CHUNK = 205
/** The staff console: its first page, and what another page of it adds. */
const CONSOLE_ROUTE = '/admin/'
const CONSOLE = { js: 300, css: 36, files: 34 }
const CONSOLE_RESOURCE = 43
const HOME_ROUTE = '/user/dashboard'
const SETUP_ROUTE = '/setup'
const SHOWN = 8

function entryFiles(): string[] {
  const files = new Set<string>()
  const visit = (key: string) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no chunk ${key}`)
    if (files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    chunk.imports?.forEach(visit)
  }
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
  if (entries.length !== 1) throw new Error(`The build has ${entries.length} entries`)
  entries.forEach(visit)
  return [...files]
}

const entry = entryFiles()

function filesOf(route: string): string[] {
  const address = route.replaceAll(/\$\w+/g, '1')
  const needed = needs.filter(
    ({ path, except }) => new RegExp(path).test(address) && !except.includes(address),
  )
  return [
    ...new Set([
      ...entry,
      ...needed.flatMap(({ files, texts }) => [...files, ...(texts['zh-CN'] ?? [])]),
    ]),
  ]
}

function budgetOf(route: string): Budget {
  if (route.startsWith('/auth/') && !route.endsWith('/sign-in-by-access-jwt')) return OPEN_PAGE
  if (isOfConsole(route)) {
    return { ...CONSOLE, js: route === CONSOLE_ROUTE ? CONSOLE.js : CONSOLE.js + CONSOLE_RESOURCE }
  }
  return route === HOME_ROUTE ? HOME : USER_PAGE
}

const isOfConsole = (route: string) => /^\/admin(\/|$)/.test(route)

/** The chunks that are the staff console's, by their own files and by the name that tools/layers.ts gives what they share. */
const ofConsole = new Set(
  Object.entries(manifest).flatMap(([source, { file, name }]) =>
    name?.split('-')[0] === 'console' ||
    /^(src\/(consoleRouteTree\.gen|app\/console\/|features\/console\/|locales\/[^/]+\/console\/)|_console-)/.test(
      source,
    )
      ? [file]
      : [],
  ),
)

const gzipped = (file: string) => gzipSync(readFileSync(new URL(file, dist))).length / 1000
const total = (files: string[]) => files.reduce((sum, file) => sum + gzipped(file), 0)

/** What a page of the console brings of its own: chunks of its feature, not what pages share. */
const ownOf = (scripts: string[]) =>
  total(
    scripts.filter((file) =>
      Object.entries(manifest).some(
        ([source, chunk]) => chunk.file === file && source.startsWith('src/features/console/'),
      ),
    ),
  )

/** `react 67.6, router 36.3, …`: the chunks that weigh most, by their names without the hash. */
function biggest(files: string[]): string {
  return files
    .map((file) => ({ file, size: gzipped(file) }))
    .toSorted((one, other) => other.size - one.size)
    .slice(0, SHOWN)
    .map(({ file, size }) => `${/([^/]+)-.{8}\.js$/.exec(file)?.[1] ?? file} ${size.toFixed(1)}`)
    .join(', ')
}

let isOver = false
function report(name: string, amount: number, budget: number, unit = 'kB') {
  const over = amount > budget
  isOver ||= over
  const shown = unit === 'kB' ? amount.toFixed(1) : String(amount)
  console.log(`${over ? 'OVER' : 'ok  '} ${shown.padStart(6)} of ${budget} ${unit}  ${name}`)
}

const pages = needs.filter(({ files }) => files.length > 0).map(({ route }) => route)
// A budget that names what the build lacks would hold nothing.
for (const route of [
  HOME_ROUTE,
  CONSOLE_ROUTE,
  SETUP_ROUTE,
  '/auth/sign-in',
  '/auth/sign-up',
  '/auth/forgot-password',
]) {
  if (!pages.includes(route)) throw new Error(`The build has no page ${route}`)
}
for (const route of pages) {
  const files = filesOf(route)
  const scripts = files.filter((file) => file.endsWith('.js'))
  const budget = budgetOf(route)
  report(`JavaScript of ${route}`, total(scripts), budget.js)
  console.log(`                      ${biggest(scripts)}`)
  report(`CSS of ${route}`, total(files.filter((file) => file.endsWith('.css'))), budget.css)
  report(`of ${route}`, files.length, budget.files, 'files')
  if (isOfConsole(route)) report(`own JavaScript of ${route}`, ownOf(scripts), CONSOLE_RESOURCE)
}
const consoleFiles = pages
  .filter((route) => !isOfConsole(route))
  .flatMap((route) => filesOf(route).filter((file) => ofConsole.has(file)))
if (ofConsole.size < 3) throw new Error('The build has no chunks of the console')
report('of the console in pages of customers', consoleFiles.length, 0, 'files')
const charts = Object.values(manifest).find(({ name }) => name === 'charts')
if (!charts) throw new Error('The build has no chunk of the charts')
report('chart library', gzipped(charts.file), CHART_CHUNK)
const withCharts = pages.filter((route) => filesOf(route).includes(charts.file))
report('pages that wait for the chart library', withCharts.length, 0, 'pages')

process.exitCode = isOver ? 1 : 0
