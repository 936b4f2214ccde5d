import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const forms = [
  {
    suffix: '.br',
    compress: (body: Buffer) =>
      promisify(brotliCompress)(body, {
        params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
      }),
  },
  { suffix: '.gz', compress: (body: Buffer) => promisify(gzip)(body, { level: 9 }) },
]

const SMALLEST = 1024

/** Writes each asset once more in Brotli and gzip at their best, so that the server compresses none while it answers. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(names.map((name) => compress(join(dir, name))))
    },
  }
}

async function compress(file: string): Promise<void> {
  const body = await readFile(file)
  if (body.length < SMALLEST) return
  await Promise.all(
    forms.map(async (form) => writeFile(file + form.suffix, await form.compress(body))),
  )
}
