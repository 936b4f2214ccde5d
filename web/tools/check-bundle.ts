// Prints what each page loads (gzip, kB = 1000 bytes), the biggest of it, and fails when one is over its budget.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

type Chunk = {
  file: string
  src?: string
  isEntry?: boolean
  imports?: string[]
  dynamicImports?: string[]
  css?: string[]
}
type Manifest = Record<string, Chunk>
type Budget = { page: string; chunks: string[]; js: number; css: number }

const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8')) as Manifest

const OPEN_PAGE = { js: 190, css: 20 }
const HOME = { js: 210, css: 30 }
const USER_PAGE = { js: 260, css: 30 }
const OWN_CHUNK = 40
const CHART_CHUNK = 205
const SHOWN = 8

const allRoutes = 'src/routeTree.gen.ts'
const shell = 'src/app/layouts/default-layout.tsx'
const texts = 'src/locales/zh-CN/common.json'

function budgets(): Budget[] {
  const pages = Object.keys(manifest).filter((key) => /^src\/features\/.*-page\.tsx$/.test(key))
  return pages.map((page) => {
    if (/\/(sign-|forgot-)/.test(page)) {
      return { page, chunks: [page, texts, 'src/locales/zh-CN/account.json'], ...OPEN_PAGE }
    }
    return {
      page,
      chunks: [page, allRoutes, shell, texts],
      ...(page.includes('/dashboard-page') ? HOME : USER_PAGE),
    }
  })
}

function filesOf(chunks: string[]): { js: Set<string>; css: Set<string> } {
  const js = new Set<string>()
  const css = new Set<string>()
  const visit = (key: string) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no chunk ${key}`)
    if (js.has(chunk.file)) return
    js.add(chunk.file)
    chunk.css?.forEach((file) => css.add(file))
    chunk.imports?.forEach(visit)
  }
  chunks.forEach(visit)
  return { js, css }
}

const gzipped = (file: string) => gzipSync(readFileSync(new URL(file, dist))).length / 1000
const total = (files: Set<string>) => [...files].reduce((sum, file) => sum + gzipped(file), 0)

/** `react 67.6, router 36.3, …`: the chunks that weigh most, by their names without the hash. */
function biggest(files: Set<string>): string {
  const sizes = [...files].map((file) => ({ file, size: gzipped(file) }))
  return sizes
    .toSorted((one, other) => other.size - one.size)
    .slice(0, SHOWN)
    .map(({ file, size }) => `${/([^/]+)-.{8}\.js$/.exec(file)?.[1] ?? file} ${size.toFixed(1)}`)
    .join(', ')
}

let isOver = false
function report(name: string, kilobytes: number, budget: number) {
  const over = kilobytes > budget
  isOver ||= over
  console.log(
    `${over ? 'OVER' : 'ok  '} ${kilobytes.toFixed(1).padStart(6)} of ${budget} kB  ${name}`,
  )
}

const entry = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
for (const { page, chunks, js, css } of budgets()) {
  const files = filesOf([...entry, ...chunks])
  report(`JavaScript of ${page}`, total(files.js), js)
  console.log(`                      ${biggest(files.js)}`)
  report(`CSS of ${page}`, total(files.css), css)
  report(`own chunk of ${page}`, gzipped(manifest[page]?.file ?? ''), OWN_CHUNK)
}
const chart = manifest['src/shared/charts/echarts.ts']
if (chart) report('chart library', gzipped(chart.file), CHART_CHUNK)

process.exitCode = isOver ? 1 : 0
