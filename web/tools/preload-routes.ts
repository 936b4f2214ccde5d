import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Plugin, Rollup } from 'vite'

type Chunk = Rollup.OutputChunk & { viteMetadata?: { importedCss: Set<string> } }
type Route = { path: string; isLayout: boolean; modules: string[]; namespaces: string[] }

const src = new URL('../src/', import.meta.url).pathname

/**
 * Writes what each address needs, its chunks and its texts in each language, to preloads.json. The server links it in
 * index.html (internal/api/web), so that it is loaded beside the entry and not after it: else a slow connection pays
 * two more round trips before the first paint. Where a page has an address of its own, `except` names it at the routes
 * whose varying part would match it.
 */
export function preloadRoutes(): Plugin {
  return {
    name: 'preload-routes',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
        const inEntry = filesOf(
          chunks.filter(({ isEntry }) => isEntry),
          chunks,
        )
        const load = (modules: string[]) => {
          const wanted = chunks.filter(({ facadeModuleId: id }) => id && modules.includes(id))
          if (wanted.length < new Set(modules).size) {
            throw new Error(`The build has no chunk for one of ${modules.join(', ')}`)
          }
          return filesOf(wanted, chunks).filter((file) => !inEntry.includes(file))
        }
        const routes = readRoutes()
        const table = routes.map(({ path, isLayout, modules, namespaces }) => ({
          route: path,
          path: patternOf(path, isLayout),
          except: routes
            .map((other) => other.path)
            .filter((other) => !other.includes('$') && path.includes('$'))
            .filter((other) => new RegExp(patternOf(path, isLayout)).test(other)),
          files: load(modules.map(fileOf)),
          texts: Object.fromEntries(
            ['zh-CN', 'en'].map((language) => [
              language,
              load(namespaces.map((name) => textsOf(language, name))),
            ]),
          ),
        }))
        this.emitFile({
          type: 'asset',
          fileName: '.vite/preloads.json',
          source: `${JSON.stringify(table)}\n`,
        })
      },
    },
  }
}

const patternOf = (path: string, isLayout: boolean) =>
  `^${path.replaceAll(/\$\w+/g, '[^/]+').replace(/\/?$/, isLayout ? '(/|$)' : '/?$')}`

const fileOf = (module: string) =>
  src + (existsSync(`${src}${module}.tsx`) ? `${module}.tsx` : `${module}.ts`)

/** Where the texts of a namespace are: by themselves, or with those of the open pages (src/app/i18n.ts). */
function textsOf(language: string, namespace: string): string {
  const own = `${src}locales/${language}/${namespace}.json`
  return existsSync(own) ? own : `${src}locales/${language}/open.ts`
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
      modules: [
        ...routesOf(path),
        ...[...code.matchAll(/import\('@\/([^']+)'\)/g)].map(([, name]) => name ?? ''),
      ],
      namespaces: [...code.matchAll(/loadTexts\(([^)]*)\)/g)].flatMap(([, names]) =>
        (names ?? '').split(',').map((name) => name.trim().replaceAll("'", '')),
      ),
    }
  })
  return [{ path: '/', isLayout: true, modules: [], namespaces: ['common'] }, ...routes]
}

/** The trees of routes that an address is looked up in (src/app/has-page.ts). */
function routesOf(path: string): string[] {
  if (path.startsWith('/auth')) return []
  if (/^\/admin(\/|$)/.test(path)) return ['app/console/routes']
  if (/^\/(setup|test-page)(\/|$)/.test(path)) return ['app/extra-routes']
  return ['userRouteTree.gen']
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
