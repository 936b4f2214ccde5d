import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { DEFAULT_COLOR_SCHEME } from '@/lib/constants'
import { ThemeColor } from './theme-color'
import { queryClient } from './query-client'
import type { createAppRouter } from './router'
import { cssVariables } from './css-variables'
import { theme } from './theme'

const colorScheme = localStorageColorSchemeManager({ key: 'color-scheme' })

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
// The scroll lock under dialogs writes a style of its own and looks for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export function App({ router }: { router: ReturnType<typeof createAppRouter> }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorScheme}
      defaultColorScheme={DEFAULT_COLOR_SCHEME}
      getStyleNonce={() => nonce}
    >
      <ThemeColor />
      <QueryClientProvider client={queryClient}>
        <Suspense>
          <RouterProvider router={router} />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  )
}
