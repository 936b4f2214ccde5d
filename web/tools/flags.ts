import { readdirSync, readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const folder = new URL('../node_modules/country-flag-icons/3x2/', import.meta.url)
const names = readdirSync(folder).filter((name) => /^[A-Z]{2}\.svg$/.test(name))

/** Puts the flags of all countries at `/flags/<code>.svg`, so that no page carries the names of 250 hashed files. */
export function flags(): Plugin {
  return {
    name: 'flags',
    generateBundle() {
      for (const name of names) {
        this.emitFile({
          type: 'asset',
          fileName: `flags/${name}`,
          source: readFileSync(new URL(name, folder)),
        })
      }
    },
    configureServer({ middlewares }) {
      middlewares.use('/flags', (request, response, next) => {
        const name = names.find((known) => request.url === `/${known}`)
        if (!name) return next()
        response.setHeader('Content-Type', 'image/svg+xml')
        response.end(readFileSync(new URL(name, folder)))
      })
    },
  }
}
