import { fileURLToPath } from 'node:url'
import { tanstackRouter, tanstackRouterGenerator } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { buildId } from './tools/build-id.ts'
import { compressed } from './tools/compressed.ts'
import { flags } from './tools/flags.ts'
import { pageAddresses } from './tools/page-addresses.ts'
import { preloadRoutes } from './tools/preload-routes.ts'

const server = process.env.AIRSTRIP_SITE_URL ?? 'http://127.0.0.1:8080'

const everyPagesUi =
  /@mantine\/core\/esm\/(core|components\/(ActionIcon|Anchor|Box|Button|Card|Group|Input|InputBase|Loader|Paper|Stack|Text|TextInput|Title|Transition|UnstyledButton|VisuallyHidden))\/|@mantine\/hooks\/esm\/use-(uncontrolled|merged-ref|id|did-update)|lucide-react\/dist\/esm\/(icons\/eye(-off)?\.|(?!icons|dynamic))/

const everyPagesOwn =
  /src\/(app\/(session\/|(crawler|error-page|lazy|not-found-page|query-client|layouts\/(web-site-layout2|footer|preference-buttons))\.)|(api|shared\/lib)\/(client|errors|open-calls|site|site-name|return-path|server-problem)\.|shared\/ui\/(button-link|form-error|request-id|status-page|text-link)\.|routes\/(__root|\$|auth)\.|features\/account\/brought-tokens\.)/

const openForms =
  /src\/(features\/account\/(field-rules|use-sign-in|components\/(auth-card|check-field|password-field|second-step-field))|app\/captcha\/(asked|form-end|use-calls))\.|esm\/components\/PasswordInput/

export default defineConfig({
  plugins: [
    // Pages are split by hand (app/lazy.ts), so that one guard covers every lazy import.
    tanstackRouter({ target: 'react', autoCodeSplitting: false }),
    // The routes that strangers start with; routes/$.tsx loads the rest.
    tanstackRouterGenerator({
      target: 'react',
      routeFileIgnorePattern: '^(?!__root|auth|\\$)',
      generatedRouteTree: './src/openRouteTree.gen.ts',
    }),
    react(),
    buildId(),
    preloadRoutes(),
    pageAddresses(),
    flags(),
    compressed(),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  // The server puts a fresh nonce in its place at every request.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: 'router',
              test: /node_modules\/@tanstack\/(?!react-table|table-core|react-virtual|virtual-core)/,
            },
            // What every page needs, in one file each instead of dozens of small ones.
            { name: 'ui', test: everyPagesUi },
            { name: 'i18n', test: /node_modules\/i18next\// },
            { name: 'form', test: /node_modules\/react-hook-form\// },
            { name: 'base', test: everyPagesOwn },
            { name: 'open-forms', test: openForms },
          ],
        },
      },
    },
  },
  server: { proxy: { '^/(api|v1|link2|mod_mu|health)': server } },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    include: ['src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/app/session/**'],
      exclude: ['**/*.test.*'],
      thresholds: { lines: 100, functions: 100, statements: 100, branches: 100 },
    },
  },
})
