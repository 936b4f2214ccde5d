import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Paths of the programs under test and of the real clients, built by `make build tools`. */
export const airstrip = program('bin/airstrip', 'make build')
export const airstripNode = program('bin/airstrip-node', 'make build')
export const singBox = program('.tools/sing-box-1.14.1', 'make tools')
export const xray = program('.tools/xray', 'make tools')
export const mihomo = program('.tools/mihomo', 'make tools')

function program(path: string, made: string): string {
  if (!existsSync(root + path)) throw new Error(`${path} is missing: run "${made}" first`)
  return root + path
}
