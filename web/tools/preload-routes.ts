import { readdirSync, readFileSync } from 'node:fs'
import type { Plugin, Rollup } from 'vite'

type Chunk = Rollup.OutputChunk & { viteMetadata?: { importedCss: Set<string> } }
type Route = { path: string; isLayout: boolean; imports: string[]; namespaces: string[] }

const src = new URL('../src/', import.meta.url).pathname

/**
 * Adds a script to index.html that starts loading the chunks and texts of the address at once, beside the entry
 * and not after it: without it a slow connection pays two more round trips before the first paint.
 */
export function preloadRoutes(): Plugin {
  return {
    name: 'preload-routes',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle, chunk: entry }) {
        const chunks = Object.values(bundle ?? {}).filter((output) => output.type === 'chunk')
        const inEntry = new Set(entry ? filesOf([entry], chunks) : [])
        const load = (modules: string[]) => {
          const wanted = chunks.filter(({ facadeModuleId: id }) => id && modules.includes(id))
          return filesOf(wanted, chunks).filter((file) => !inEntry.has(file))
        }
        const table = readRoutes()
          .map(({ path, isLayout, imports, namespaces }) => [
            `^${path.replaceAll(/\$\w+/g, '[^/]+').replace(/\/?$/, isLayout ? '(/|$)' : '/?$')}`,
            load(imports.map((file) => `${src}${file}.tsx`)),
            ...['zh-CN', 'en'].map((language) =>
              load(namespaces.map((name) => `${src}locales/${language}/${name}.json`)),
            ),
          ])
          .filter(([, ...lists]) => lists.some((files) => files.length > 0))
        return [
          {
            tag: 'script',
            children: script(table),
            injectTo: 'head',
            attrs: { nonce: '__CSP_NONCE__' },
          },
        ]
      },
    },
  }
}

/** What the route files say: their path, the page they load, the texts they need. */
function readRoutes(): Route[] {
  const files = readdirSync(`${src}routes`).filter((file) => !file.includes('.test.'))
  const routes = files.flatMap((file) => {
    const code = readFileSync(`${src}routes/${file}`, 'utf8')
    const path = /createFileRoute\('([^']+)'\)/
      .exec(code)?.[1]
      ?.replaceAll('_/', '/')
      .replaceAll(/\/_\w+/g, '')
    if (!path || path.endsWith('$')) return []
    return {
      path,
      isLayout: files.some(
        (other) => other.startsWith(file.replace('.tsx', '.')) && other !== file,
      ),
      imports: [...code.matchAll(/import\('@\/([^']+)'\)/g)].map(([, name]) => name ?? ''),
      namespaces: [...code.matchAll(/loadTexts\(([^)]*)\)/g)].flatMap(([, names]) =>
        (names ?? '').split(',').map((name) => name.trim().replaceAll("'", '')),
      ),
    }
  })
  return [{ path: '/', isLayout: true, imports: [], namespaces: ['common'] }, ...routes]
}

function filesOf(start: Chunk[], all: Chunk[]): string[] {
  const files = new Set<string>()
  const visit = (chunk: Chunk) => {
    if (files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const css of chunk.viteMetadata?.importedCss ?? []) files.add(css)
    for (const name of chunk.imports) {
      const imported = all.find(({ fileName }) => fileName === name)
      if (imported) visit(imported)
    }
  }
  start.forEach(visit)
  return [...files]
}

const script = (table: unknown[]) => `
      // Written by tools/preload-routes.ts.
      ;(function (table) {
        table.forEach(function (row) {
          if (!new RegExp(row[0]).test(location.pathname)) return
          row[1].concat(row[document.documentElement.lang === 'en' ? 3 : 2]).forEach(function (file) {
            var link = document.createElement('link')
            link.href = '/' + file
            link.rel = /css$/.test(file) ? 'preload' : 'modulepreload'
            if (link.rel === 'preload') link.as = 'style'
            link.crossOrigin = ''
            document.head.append(link)
          })
        })
      })(${JSON.stringify(table)})
    `
