import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const routeTree = new URL('../src/routeTree.gen.ts', import.meta.url)

/**
 * Writes the address of every page to pages.json, with `$name` for a part that varies. The server answers 404 for any
 * other address (internal/api/web).
 */
export function pageAddresses(): Plugin {
  return {
    name: 'page-addresses',
    apply: 'build',
    generateBundle() {
      const source = `${JSON.stringify(readAddresses(readFileSync(routeTree, 'utf8')))}\n`
      this.emitFile({ type: 'asset', fileName: '.vite/pages.json', source })
    },
  }
}

/** The addresses that the generated route tree says one can go to; those that end in `$` are the not-found pages. */
export function readAddresses(code: string): string[] {
  const [, union] = /^ {2}to:\n((?: {4}\| '[^']+'\n)+)/m.exec(code) ?? []
  if (!union) throw new Error('The generated route tree names no addresses')
  return [...union.matchAll(/'([^']+)'/g)]
    .map(([, address = '']) => address)
    .filter((address) => !address.endsWith('/$'))
    .toSorted()
}
