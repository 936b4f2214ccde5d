import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'

/**
 * Names the build after its content: `<meta name="build">` in index.html says which build a page runs,
 * `builds/latest.json` says which one the server has now (see app/version-poll.ts).
 */
export function buildId(): Plugin {
  return {
    name: 'build-id',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => [
        { tag: 'meta', attrs: { name: 'build', content: idOf(bundle) }, injectTo: 'head' },
      ],
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        this.emitFile({
          type: 'asset',
          fileName: 'builds/latest.json',
          source: `${JSON.stringify({ build: idOf(bundle) })}\n`,
        })
      },
    },
  }
}

// Chunk and asset names carry the hash of their content.
function idOf(bundle: object | undefined): string {
  const hashedNames = Object.keys(bundle ?? {}).filter((name) => name.startsWith('assets/'))
  return createHash('sha256').update(hashedNames.toSorted().join('\n')).digest('hex').slice(0, 12)
}
