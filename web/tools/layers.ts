import { build, type Plugin, type Rollup, type UserConfig } from 'vite'

type Options = {
  /** By the name of a file: the pages that load it first. In this order. */
  entrances: Record<string, string[]>
  /** Packages of forms: what needs them lies with them. */
  form: string[]
  /** The pages that the staff console starts with. */
  consoleEntrance: string[]
  /** Whether a chunk is the staff console's. What the console alone loads never lies with anything else. */
  isConsole: (page: string) => boolean
  resolve: UserConfig['resolve']
}

/**
 * Says in which file a module lies that several chunks share: in that of the first entrance that loads it. An entrance is
 * a page that people start with; each loads what it needs and little more, and no page loads dozens of small files. What
 * other pages share is `parts`. Packages that place something over a page are `overlay`, those of them that no page loads
 * at first are `dialog`; the packages of forms are `form`, what needs them and no entrance loads is `fields`. Styles lie
 * with the entry, `app`, or with the last entrance, but for those of one page.
 *
 * Which chunk loads what only a build can tell, since packages have one module that exports them all. So this makes one
 * without groups, and keeps nothing of it.
 */
export async function findLayers(options: Options): Promise<Map<string, string>> {
  const { chunks, modules } = await automaticChunks(options.resolve)
  const starts = chunks
    .filter(({ isEntry, isDynamicEntry }) => isEntry || isDynamicEntry)
    .map((chunk) => startOf(chunk, chunks))
  const entrances = Object.entries(options.entrances).map(([name, pages]) => {
    const of = starts.filter(({ page }) => pages.includes(page))
    if (of.length < pages.length) throw new Error(`A page of the layer ${name} is no chunk`)
    return { name, loads: new Set(of.flatMap(({ loads }) => [...loads])) }
  })
  const consoleStarts = starts.filter(({ page }) => options.consoleEntrance.includes(page))
  if (consoleStarts.length < options.consoleEntrance.length)
    throw new Error('A page of the console is no chunk')
  const startPages = new Set(Object.values(options.entrances).flat())
  const ids = [...modules.keys()]
  const vendors = new Set(ids.filter((id) => id.includes('/node_modules/')))
  const placing = usersOf(['@floating-ui', 'react-remove-scroll'], [...vendors], modules)
  const fields = usersOf(options.form, ids, modules)
  const tables = usersOf(['@tanstack/react-virtual'], ids, modules)

  // Each sheet is one more request: one for the entry and the first entrance, one for the rest.
  const sheetOf = (id: string) =>
    entrances[0]?.loads.has(id) === true ? 'app' : entrances.at(-1)?.name

  const layerOf = (id: string, users: Start[]): string | undefined => {
    const first = entrances.find(({ loads }) => loads.has(id))?.name
    if (isStyle(id)) return users.length < 2 && !first ? undefined : sheetOf(id)
    if (users.length < 2) return undefined
    // What only some page's form needs would come with every form.
    if (fields.has(id)) return vendors.has(id) || first ? 'form' : 'fields'
    const pages = users.filter(
      ({ page }) => startPages.has(page) || modules.get(page)?.isPage === true,
    )
    const isPlaced = allLoad(pages.length > 0 ? pages : users, placing)
    if (vendors.has(id) && isPlaced) return pages.length > 0 ? 'overlay' : 'dialog'
    if (pages.length === 0) return undefined
    return first ?? 'parts'
  }

  /**
   * What customers load with an entrance stays there; what one of their other pages loads is left to the bundler. What
   * only the console loads is `console` where its first page needs it, else by whether forms or long tables need it, or
   * only pages with long tables.
   */
  const sharedWithConsole = (id: string, users: Start[]): string | undefined => {
    const isCustomers = starts.some(({ page, loads }) => !options.isConsole(page) && loads.has(id))
    if (isCustomers) return entrances.find(({ loads }) => loads.has(id))?.name
    if (consoleStarts.some(({ loads }) => loads.has(id))) return 'console'
    if (fields.has(id)) return 'console-forms'
    return tables.has(id) || allLoad(users, tables) ? 'console-tables' : 'console-parts'
  }

  // The page's own script stays what it is, the entry.
  const scripts = new Set(
    starts.flatMap(({ isEntry, page }) =>
      isEntry ? [page, ...(modules.get(page)?.imports ?? [])] : [],
    ),
  )
  const layers = new Map<string, string>()
  for (const id of ids) {
    const users = starts.filter(({ loads }) => loads.has(id))
    if (users.some(({ isEntry }) => isEntry)) {
      if (!scripts.has(id) && (isStyle(id) || !vendors.has(id))) layers.set(id, 'app')
      continue
    }
    const customers = users.filter(({ page }) => !options.isConsole(page))
    const layer =
      layerOf(id, customers) ?? (users.length > 1 ? sharedWithConsole(id, users) : undefined)
    if (layer) layers.set(id, layer)
  }
  return layers
}

/** Whether each loads one of the modules. */
const allLoad = (starts: Start[], some: Set<string>) =>
  starts.every(({ loads }) => [...some].some((one) => loads.has(one)))

const isStyle = (id: string) => id.endsWith('.css')

type Modules = Map<string, { imports: readonly string[]; isPage: boolean }>

/** A chunk that is loaded by itself, with all modules that come with it. */
type Start = { page: string; isEntry: boolean; loads: Set<string> }

function startOf(start: Rollup.OutputChunk, chunks: Rollup.OutputChunk[]): Start {
  const loaded = new Set([start])
  for (const chunk of loaded) {
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) loaded.add(other)
  }
  return {
    page: start.facadeModuleId ?? '',
    isEntry: start.isEntry,
    loads: new Set([...loaded].flatMap(({ moduleIds }) => moduleIds)),
  }
}

/** Those of the candidates that are of these packages or need them. */
function usersOf(packages: string[], candidates: string[], modules: Modules): Set<string> {
  const users = new Set(
    candidates.filter((id) => packages.some((name) => id.includes(`/node_modules/${name}/`))),
  )
  for (let size = 0; size < users.size;) {
    size = users.size
    for (const id of candidates) {
      if (modules.get(id)?.imports.some((other) => users.has(other))) users.add(id)
    }
  }
  return users
}

async function automaticChunks(resolve: UserConfig['resolve']) {
  const modules: Modules = new Map()
  const graph: Plugin = {
    name: 'graph',
    generateBundle() {
      for (const id of this.getModuleIds()) {
        const info = this.getModuleInfo(id)
        const isPage =
          info?.dynamicImporters.some((other) => other.includes('/src/routes/')) ?? false
        modules.set(id, { imports: info?.importedIds ?? [], isPage })
      }
    },
  }
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [graph],
    resolve: resolve ?? {},
    build: { write: false, minify: false, reportCompressedSize: false, target: 'es2022' },
  })) as Rollup.RollupOutput
  return { chunks: output.filter((one) => one.type === 'chunk'), modules }
}
