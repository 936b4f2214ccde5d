import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tanstackRouter, tanstackRouterGenerator } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { buildId } from './tools/build-id.ts'
import { compressed } from './tools/compressed.ts'
import { flags } from './tools/flags.ts'
import { findLayers } from './tools/layers.ts'
import { pageAddresses } from './tools/page-addresses.ts'
import { preloadRoutes } from './tools/preload-routes.ts'

const server = process.env.AIRSTRIP_SITE_URL ?? 'http://127.0.0.1:8080'

const src = fileURLToPath(new URL('src', import.meta.url))
const resolve = {
  alias: [
    { find: '@', replacement: src },
    { find: /^\.\.\/core\/serverSentEvents\.gen$/, replacement: `${src}/lib/api/no-events.ts` },
  ],
}

const isOf =
  (...packages: string[]) =>
  (id: string) =>
    packages.some((name) => id.includes(`/node_modules/${name}/`))

/** Few files for each page (tools/layers.ts): packages that seldom change, what all pages need, what some share. */
async function groups() {
  const layers = await findLayers({
    entrances: {
      // With what the sign-in page loads at once where the browser has passkeys.
      open: [
        `${src}/features/account/open-pages.ts`,
        `${src}/features/account/components/passkey-sign-in.tsx`,
      ],
      common: [`${src}/userRouteTree.gen.ts`, `${src}/features/home/dashboard-page.tsx`],
    },
    // What the console's first page loads; the rest that its pages share comes with its lists.
    consoleEntrance: [
      `${src}/app/console/routes.ts`,
      `${src}/app/console/console-layout.tsx`,
      `${src}/features/console/overview/overview-page.tsx`,
    ],
    form: ['react-hook-form', 'zod'],
    isConsole: (page) =>
      page === `${src}/consoleRouteTree.gen.ts` ||
      page.startsWith(`${src}/app/console/`) ||
      page.startsWith(`${src}/features/console/`),
    resolve,
  })
  return [
    { name: 'react', test: isOf('react', 'react-dom', 'scheduler') },
    { name: 'router', test: isOf('@tanstack'), tags: ['$initial' as const] },
    { name: 'charts', test: isOf('echarts', 'zrender') },
    // Of two pages with long lists, and of no other.
    { name: 'virtual', test: isOf('@tanstack/react-virtual', '@tanstack/virtual-core') },
    {
      name: 'ui',
      test: (id: string) => id.includes('/node_modules/') && !layers.has(id),
      tags: ['$initial' as const],
    },
    { name: (id: string) => layers.get(id) ?? null },
  ]
}

/** A tree of the routes in the files whose name begins with one of these, beside the one of all, which is for types. */
const tree = (name: string, files: string) =>
  tanstackRouterGenerator({
    target: 'react',
    routeFileIgnorePattern: `^(?!__root|${files})`,
    generatedRouteTree: `./src/${name}RouteTree.gen.ts`,
  })

const trees = [
  // The routes that visitors start with; routes/$.tsx loads the rest.
  tree('open', 'auth|\\$'),
  tree('user', '(?!admin|setup|test-page)'),
  tree('console', 'admin'),
  // The site's first steps, and the pages for trying things out.
  tree('extra', 'setup|test-page'),
]

/**
 * Tests with a document and modules of their own: of what begins once in a document, and those that replace modules. The others
 * share them, which saves half of their time; those of the console among themselves, since it changes how all calls are sent.
 */
const alone = [
  'src/{app,lib}/**/*.test.{ts,tsx}',
  'src/ui/connect/import-client.test.ts',
  ...globSync('src/features/**/*.test.{ts,tsx}', { cwd: import.meta.dirname }).filter((file) =>
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8').includes('vi.mock('),
  ),
]
const ofConsole = ['src/features/console/**/*.test.{ts,tsx}']
const ofUsers = ['src/{features,ui}/**/*.test.{ts,tsx}', 'tools/**/*.test.ts']

const testsOf = (name: string, groupOrder: number, include: string[], exclude: string[]) => ({
  extends: true as const,
  // One project after the other, so that a worker has the modules for many files.
  test: { name, include, exclude, isolate: name === 'alone', sequence: { groupOrder } },
})

export default defineConfig(async ({ command }): Promise<ViteUserConfig> => ({
  plugins: [
    // Pages are split by hand (app/lazy.ts), so that one guard covers every lazy import.
    tanstackRouter({ target: 'react', autoCodeSplitting: false }),
    ...trees,
    react(),
    buildId(),
    preloadRoutes(),
    pageAddresses(),
    flags(),
    compressed(),
  ],
  resolve,
  // The server puts a fresh nonce in its place at every request.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name, facadeModuleId: id }) =>
          `assets/${name === 'pages' && id ? basename(dirname(id)) : name}-[hash].js`,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: command === 'build' ? await groups() : [],
        },
      },
    },
  },
  server: { proxy: { '^/(api|v1|link2|mod_mu|health)': server } },
  test: {
    environment: 'jsdom',
    pool: 'threads',
    setupFiles: ['src/test/setup.ts'],
    // Nothing else runs beside them; by default one processor is left free.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    projects: [
      testsOf('alone', 0, alone, []),
      testsOf('console', 1, ofConsole, []),
      testsOf('users', 2, ofUsers, [...alone, ...ofConsole]),
    ],
    coverage: {
      provider: 'v8',
      include: ['src/lib/session/**'],
      exclude: ['**/*.test.*'],
      thresholds: { lines: 100, functions: 100, statements: 100, branches: 100 },
    },
  },
}))
